//! Reverse mode as a pass with options.

use std::str::FromStr;

use crate::autodiff;
use crate::stablehlo::{Function, Module, Result};

/// What the gradient of `@f` is called: `@f_grad`.
const SUFFIX: &str = "_grad";

/// Which gradient to add to a module.
///
/// ```text
/// func.func @f(%0: tensor<f32>) -> tensor<f32>
/// ```
/// gets beside it, where its first result is a floating-point scalar, the
/// function that returns the results of `@f` and then the derivatives
/// ```text
/// func.func @f_grad(%0: tensor<f32>) -> (tensor<f32>, tensor<f32>)
/// ```
/// and otherwise its pullback, which takes a cotangent of the first result as
/// last argument and returns the derivatives alone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gradient {
    /// Positions of the arguments to differentiate by; every floating-point
    /// one if empty.
    pub arguments: Vec<usize>,
    /// The function; every one if `None`.
    pub function: Option<String>,
}

/// The text is no gradient.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}`: expected `wrt:0,1` or `wrt:0,1;of=FUNCTION`, found {found}")]
pub struct GradientError {
    text: String,
    found: String,
}

impl FromStr for Gradient {
    type Err = GradientError;

    /// Reads `wrt:0,1` and `wrt:0,1;of=loss`.
    fn from_str(text: &str) -> std::result::Result<Self, GradientError> {
        let error = |found: String| GradientError {
            text: text.to_owned(),
            found,
        };
        let mut gradient = Gradient::default();
        for part in text.split(';') {
            if let Some(list) = part.strip_prefix("wrt:") {
                let positions = list.split(',').map(|item| {
                    let position = item.trim().parse();
                    position.map_err(|_| error(format!("`{item}` for a position")))
                });
                gradient.arguments = positions.collect::<std::result::Result<_, _>>()?;
            } else if let Some(name) = part.strip_prefix("of=") {
                gradient.function = Some(name.trim_start_matches('@').to_owned());
            } else {
                return Err(error(format!("`{part}`")));
            }
        }
        Ok(gradient)
    }
}

impl Gradient {
    /// Adds the gradients, each behind its function.
    ///
    /// # Errors
    /// If there is no such function or argument, or an operation has no
    /// derivative rule.
    pub fn run(&self, module: &Module) -> Result<Module> {
        if let Some(name) = &self.function {
            module.function(name)?;
        }
        let mut result = module.clone();
        result.functions.clear();
        for function in &module.functions {
            result.functions.push(function.clone());
            let chosen = self
                .function
                .as_ref()
                .is_none_or(|name| *name == function.name);
            if chosen {
                result.functions.push(self.of(function)?);
            }
        }
        Ok(result)
    }

    fn of(&self, function: &Function) -> Result<Function> {
        let is_float = |value| function.ty(value).element.is_float();
        let all = function.arguments.iter().enumerate();
        let arguments = match self.arguments.is_empty() {
            true => all
                .filter(|(_, a)| is_float(a.value))
                .map(|(i, _)| i)
                .collect(),
            false => self.arguments.clone(),
        };
        let name = format!("{}{SUFFIX}", function.name);
        let scalar = function
            .outputs
            .first()
            .is_some_and(|output| function.ty(output.value).rank() == 0 && is_float(output.value));
        if scalar {
            autodiff::gradients(function, &arguments, &name)
        } else {
            autodiff::pullback(function, &arguments, &name, crate::program::COTANGENT)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stablehlo::{Builder, ElementType, TensorType};

    /// x * y of two vectors and an integer beside them, and its sum.
    fn module() -> Module {
        let mut functions = Vec::new();
        for name in ["product", "sum"] {
            let mut b = Builder::named(name);
            let x = b.function.argument(Some("x"), TensorType::f32([3]));
            let integers = TensorType::new([3], ElementType::I32);
            b.function.argument(None, integers);
            let y = b.function.argument(Some("y"), TensorType::f32([3]));
            let mut value = b.multiply(x, y).unwrap();
            if name == "sum" {
                value = b.sum(value, &[0]).unwrap();
            }
            b.function.output(None, value);
            functions.push(b.function);
        }
        Module {
            name: "m".to_owned(),
            functions,
            ..Module::default()
        }
    }

    fn names(module: &Module) -> Vec<&str> {
        module.functions.iter().map(|f| f.name.as_str()).collect()
    }

    fn outputs(module: &Module, name: &str) -> Vec<String> {
        let function = module.function(name).unwrap();
        let ty = |output: &crate::stablehlo::Output| function.ty(output.value).to_string();
        function.outputs.iter().map(ty).collect()
    }

    #[test]
    fn each_function_gets_its_gradient() {
        let result = Gradient::default().run(&module()).unwrap();
        assert_eq!(
            names(&result),
            ["product", "product_grad", "sum", "sum_grad"]
        );
        assert_eq!(
            outputs(&result, "product_grad"),
            ["tensor<3xf32>", "tensor<3xf32>"]
        );
        assert_eq!(
            outputs(&result, "sum_grad"),
            ["tensor<f32>", "tensor<3xf32>", "tensor<3xf32>"]
        );
        let arguments = &result.function("product_grad").unwrap().arguments;
        assert_eq!(arguments.len(), 4);
        assert_eq!(arguments[3].name.as_deref(), Some("cotangent"));
    }

    #[test]
    fn one_function_and_argument() {
        let gradient: Gradient = "wrt:2;of=@sum".parse().unwrap();
        let result = gradient.run(&module()).unwrap();
        assert_eq!(names(&result), ["product", "sum", "sum_grad"]);
        assert_eq!(
            outputs(&result, "sum_grad"),
            ["tensor<f32>", "tensor<3xf32>"]
        );
    }

    #[test]
    fn what_is_not_there_is_refused() {
        let run = |text: &str| {
            let gradient: Gradient = text.parse().unwrap();
            gradient.run(&module()).unwrap_err().to_string()
        };
        assert_eq!(
            run("of=f"),
            "the module has no function `@f`; it has @product, @sum"
        );
        let error = run("wrt:7;of=sum");
        assert!(error.contains("`@sum` has no argument 7"), "{error}");
    }

    #[test]
    fn texts() {
        let gradient: Gradient = "wrt:0,1;of=f".parse().unwrap();
        let expected = Gradient {
            arguments: vec![0, 1],
            function: Some("f".to_owned()),
        };
        assert_eq!(gradient, expected);
        for (text, found) in [
            ("wrt:a", "`a` for a position"),
            ("x", "`x`"),
            ("wrt:", "`` for"),
        ] {
            let error = text.parse::<Gradient>().unwrap_err().to_string();
            assert!(error.contains(&format!("found {found}")), "{error}");
        }
    }
}

//! `dense<...>` constants.

use super::attribute::decimal;
use super::reader::Reader;
use crate::stablehlo::literal::{Literal, Scalar};
use crate::stablehlo::types::{ElementType, TensorType};

/// The value of a `stablehlo.constant`.
pub(super) fn print(literal: &Literal) -> String {
    let element = literal.ty.element;
    let body = match literal.splat_value() {
        Some(value) => scalar(value, element),
        None => nested(&literal.values, &literal.ty.shape, element),
    };
    format!("dense<{body}> : {}", literal.ty)
}

fn nested(values: &[Scalar], shape: &[i64], element: ElementType) -> String {
    let Some((&size, inner)) = shape.split_first() else {
        return values
            .first()
            .map_or_else(String::new, |&v| scalar(v, element));
    };
    let chunk = values.len() / (size.max(1) as usize);
    let parts: Vec<String> = values
        .chunks(chunk.max(1))
        .map(|part| nested(part, inner, element))
        .collect();
    format!("[{}]", parts.join(", "))
}

fn scalar(value: Scalar, element: ElementType) -> String {
    match value {
        Scalar::Bool(value) => value.to_string(),
        Scalar::Int(value) if element == ElementType::Ui64 => (value as u64).to_string(),
        Scalar::Int(value) => value.to_string(),
        Scalar::Float(value) if element == ElementType::F32 => {
            let value = value as f32;
            if value.is_finite() {
                decimal(format!("{value:?}"))
            } else {
                format!("0x{:08X}", value.to_bits())
            }
        }
        Scalar::Float(value) if value.is_finite() => decimal(format!("{value:?}")),
        Scalar::Float(value) => format!("0x{:016X}", value.to_bits()),
    }
}

/// Reads `dense<...> : type`; the type is known already.
pub(super) fn parse(text: &str, ty: &TensorType) -> Result<Literal, String> {
    let mut reader = Reader::new(text);
    reader.expect("dense<")?;
    let mut values = Vec::new();
    if text.starts_with("dense<\"") {
        values = blob(&reader.string()?, ty.element)?;
    } else if !reader.eat(">") {
        elements(&mut reader, ty.element, &mut values)?;
    }
    let count = values.len() as i64;
    if count != 1 && count != ty.elements() {
        return Err(format!("constant of {count} values for {ty}"));
    }
    Ok(Literal {
        ty: ty.clone(),
        values,
    })
}

fn elements(
    reader: &mut Reader<'_>,
    element: ElementType,
    values: &mut Vec<Scalar>,
) -> Result<(), String> {
    if reader.eat("[") {
        if reader.eat("]") {
            return Ok(());
        }
        loop {
            elements(reader, element, values)?;
            if reader.eat("]") {
                return Ok(());
            }
            reader.expect(",")?;
        }
    }
    values.push(read_scalar(reader.scalar()?, element)?);
    Ok(())
}

fn read_scalar(text: &str, element: ElementType) -> Result<Scalar, String> {
    let wrong = || format!("`{text}` is no {element}");
    if element == ElementType::I1 {
        return match text {
            "true" | "1" | "-1" => Ok(Scalar::Bool(true)),
            "false" | "0" => Ok(Scalar::Bool(false)),
            _ => Err(wrong()),
        };
    }
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let hex = hex
        .map(|h| u64::from_str_radix(h, 16).map_err(|_| wrong()))
        .transpose()?;
    match (element, hex) {
        (ElementType::F32, Some(bits)) => {
            let bits = u32::try_from(bits).map_err(|_| wrong())?;
            Ok(Scalar::Float(f64::from(f32::from_bits(bits))))
        }
        (ElementType::F64, Some(bits)) => Ok(Scalar::Float(f64::from_bits(bits))),
        (ElementType::F32, None) => {
            let value: f32 = text.parse().map_err(|_| wrong())?;
            Ok(Scalar::Float(f64::from(value)))
        }
        (ElementType::F64, None) => text.parse().map(Scalar::Float).map_err(|_| wrong()),
        (_, Some(bits)) => Ok(Scalar::Int(bits as i64)),
        (ElementType::Ui64, None) => text
            .parse::<u64>()
            .map(|v| Scalar::Int(v as i64))
            .map_err(|_| wrong()),
        (_, None) => text.parse().map(Scalar::Int).map_err(|_| wrong()),
    }
}

/// A hexadecimal blob, little-endian, as MLIR prints large constants.
fn blob(text: &str, element: ElementType) -> Result<Vec<Scalar>, String> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let width = (element.bits() / 8).max(1) as usize;
    let pairs = digits.as_bytes().chunks(2);
    let bytes: Vec<u8> = pairs
        .map(|pair| {
            std::str::from_utf8(pair)
                .ok()
                .and_then(|p| u8::from_str_radix(p, 16).ok())
                .ok_or_else(|| "constant blob is not hexadecimal".to_owned())
        })
        .collect::<Result<_, _>>()?;
    if element == ElementType::I1 || !bytes.len().is_multiple_of(width) {
        return Err(format!(
            "constant blob of {} bytes of {element}",
            bytes.len()
        ));
    }
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0u64, |w, &b| w << 8 | u64::from(b));
    Ok(bytes
        .chunks(width)
        .map(|chunk| match element {
            ElementType::F32 => Scalar::Float(f64::from(f32::from_bits(word(chunk) as u32))),
            ElementType::F64 => Scalar::Float(f64::from_bits(word(chunk))),
            ElementType::I8 => Scalar::Int(i64::from(word(chunk) as u8 as i8)),
            ElementType::I32 => Scalar::Int(i64::from(word(chunk) as u32 as i32)),
            _ => Scalar::Int(word(chunk) as i64),
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(values: &[Scalar], ty: TensorType) {
        let literal = Literal {
            ty: ty.clone(),
            values: values.to_vec(),
        };
        let text = print(&literal);
        let body = text.split(" : ").next().unwrap();
        assert_eq!(parse(body, &ty).unwrap(), literal, "{text}");
    }

    #[test]
    fn constants_round_trip() {
        let floats = [0.1f32, -0.0, f32::INFINITY, 1e-10].map(|v| Scalar::Float(f64::from(v)));
        round_trip(&floats, TensorType::f32([2, 2]));
        round_trip(
            &[Scalar::Bool(true), Scalar::Bool(false)],
            TensorType::new([2], ElementType::I1),
        );
        round_trip(&[Scalar::Int(-1)], TensorType::scalar(ElementType::Ui64));
        round_trip(&[Scalar::Int(-5)], TensorType::scalar(ElementType::I32));
    }

    #[test]
    fn splats_and_blobs_are_read() {
        let splat = parse("dense<1.000000e+00>", &TensorType::f32([3])).unwrap();
        assert_eq!(splat.values, [Scalar::Float(1.0)]);
        let blob = parse("dense<\"0x0000803F00000040\">", &TensorType::f32([2])).unwrap();
        assert_eq!(blob.values, [Scalar::Float(1.0), Scalar::Float(2.0)]);
    }
}

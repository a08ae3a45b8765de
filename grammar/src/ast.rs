//! What a `.net` file says, before any name is resolved.

mod dump;

pub use dump::dump;

use crate::Span;

/// A whole file.
#[derive(Clone, Debug)]
pub struct File {
    /// Its definitions in order.
    pub items: Vec<Item>,
    /// Its comments in order.
    pub comments: Vec<Comment>,
    /// All of the source text.
    pub span: Span,
}

/// From `#` to the end of the line.
#[derive(Clone, Debug)]
pub struct Comment {
    /// With the `#`, without the line end and the blanks before it.
    pub text: String,
    /// The bytes of `text`.
    pub span: Span,
}

/// A name where it is written.
#[derive(Clone, Debug)]
pub struct Name {
    /// Its letters.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A top-level item.
#[derive(Clone, Debug)]
pub enum Item {
    /// `import "blocks.net";`
    Import(Import),
    /// `block name(...) { ... }`
    Block(Definition),
    /// `net name(...) { ... }`
    Net(Definition),
    /// `train { ... }`
    Train(Train),
}

/// `import "blocks.net";`
#[derive(Clone, Debug)]
pub struct Import {
    /// The path, escapes resolved.
    pub path: String,
    /// The string.
    pub path_span: Span,
    /// All of it.
    pub span: Span,
}

/// A `net` or a `block`.
#[derive(Clone, Debug)]
pub struct Definition {
    /// What it is called.
    pub name: Name,
    /// Hyper-parameters.
    pub hypers: Vec<Hyper>,
    /// What it computes.
    pub body: Body,
    /// All of it.
    pub span: Span,
}

/// A hyper-parameter.
#[derive(Clone, Debug)]
pub struct Hyper {
    /// What it is called.
    pub name: Name,
    /// Its value where the user gives none.
    pub default: Option<Expr>,
    /// All of it.
    pub span: Span,
}

/// The `train` section.
#[derive(Clone, Debug)]
pub struct Train {
    /// Its settings in order.
    pub settings: Vec<Setting>,
    /// All of it.
    pub span: Span,
}

/// `name = value;`
#[derive(Clone, Debug)]
pub struct Setting {
    /// What is set.
    pub name: Name,
    /// To what.
    pub value: Expr,
    /// All of it.
    pub span: Span,
}

/// `{ statements; result }`
#[derive(Clone, Debug)]
pub struct Body {
    /// What comes before the result.
    pub statements: Vec<Statement>,
    /// The value of the body.
    pub result: Option<Box<Expr>>,
    /// With the braces.
    pub span: Span,
}

/// A statement of a body.
#[derive(Clone, Debug)]
pub enum Statement {
    /// `input x: f32[N, 1, 28, 28];`
    Input(Input),
    /// `let y = x |> relu;`
    Let(Let),
    /// `param scale: f32[C] = ones;`
    Param(Param),
}

/// `input x: f32[N, 1, 28, 28];`
#[derive(Clone, Debug)]
pub struct Input {
    /// What it is called.
    pub name: Name,
    /// Its type, which a block leaves out.
    pub ty: Option<TensorType>,
    /// All of it.
    pub span: Span,
}

/// `let y = x |> relu;`
#[derive(Clone, Debug)]
pub struct Let {
    /// The new name; in an expanded network with points, as in `stage1.conv2`.
    pub name: Name,
    /// What it stands for.
    pub value: Expr,
    /// All of it.
    pub span: Span,
}

/// `param scale: f32[C] = ones;`
#[derive(Clone, Debug)]
pub struct Param {
    /// What it is called; in an expanded network with points.
    pub name: Name,
    /// Its type.
    pub ty: TensorType,
    /// How it starts.
    pub init: Option<Expr>,
    /// All of it.
    pub span: Span,
}

/// `f32[N, 1, 28, 28]`
#[derive(Clone, Debug)]
pub struct TensorType {
    /// `f32`
    pub element: Name,
    /// Extents, the batch first.
    pub dims: Vec<Expr>,
    /// All of it.
    pub span: Span,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `32`
    Integer(i64),
    /// `1e-5`; always finite.
    Float(f64),
    /// `true`
    Bool(bool),
    /// `"text"`, escapes resolved.
    Text(String),
    /// `image`
    Name(String),
    /// `conv(32, kernel=3)`
    Call(Call),
    /// `(3, 5)`, also `(3,)`.
    Tuple(Vec<Expr>),
    /// `[pad_crop(4), flip]`
    List(Vec<Expr>),
    /// `(x)`
    Parens(Box<Expr>),
    /// `x.channels`
    Field(Box<Expr>, Name),
    /// `-x`
    Unary(UnaryOp, Box<Expr>),
    /// `a + b`
    Binary(Binary),
    /// `x |> conv(32, kernel=3) |> relu`
    Pipe(Pipe),
    /// `if a { x } else if b { y } else { z }`
    If(If),
    /// `repeat 3 { conv(32, kernel=3) }`
    Repeat(Repeat),
}

/// `conv(32, kernel=3)`
#[derive(Clone, Debug)]
pub struct Call {
    /// `conv`
    pub callee: Name,
    /// Positional and named ones in order.
    pub arguments: Vec<Argument>,
}

/// `32` or `kernel=3`
#[derive(Clone, Debug)]
pub struct Argument {
    /// `kernel`
    pub name: Option<Name>,
    /// `3`
    pub value: Expr,
    /// All of it.
    pub span: Span,
}

/// `first |> stage |> stage`
#[derive(Clone, Debug)]
pub struct Pipe {
    /// What is fed.
    pub first: Box<Expr>,
    /// At least one; each a name with or without fields, call, `if` or `repeat`.
    pub stages: Vec<Expr>,
}

/// `a + b`
#[derive(Clone, Debug)]
pub struct Binary {
    /// `+`
    pub op: BinaryOp,
    /// Where the operator is.
    pub op_span: Span,
    /// `a`
    pub left: Box<Expr>,
    /// `b`
    pub right: Box<Expr>,
}

/// `if a { x } else if b { y } else { z }`
#[derive(Clone, Debug)]
pub struct If {
    /// Conditions and what they guard, at least one.
    pub branches: Vec<(Expr, Body)>,
    /// The last `else`.
    pub otherwise: Option<Body>,
}

/// `repeat 3 { conv(32, kernel=3) }`
#[derive(Clone, Debug)]
pub struct Repeat {
    /// How often.
    pub count: Box<Expr>,
    /// What.
    pub body: Body,
}

/// An operator in front of its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`
    Negate,
    /// `!`
    Not,
}

/// An operator between its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `||`
    Or,
    /// `&&`
    And,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
}

impl UnaryOp {
    /// As it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Negate => "-",
            UnaryOp::Not => "!",
        }
    }
}

impl BinaryOp {
    /// As it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Or => "||",
            BinaryOp::And => "&&",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::Less => "<",
            BinaryOp::AtMost => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::AtLeast => ">=",
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::Remainder => "%",
        }
    }
}

impl Expr {
    /// `a.b.c` of a name and its fields, where that is all there is.
    pub fn path(&self) -> Option<String> {
        match &self.kind {
            ExprKind::Name(name) => Some(name.clone()),
            ExprKind::Field(base, field) => Some(format!("{}.{}", base.path()?, field.text)),
            _ => None,
        }
    }

    /// The expression inside any parentheses.
    pub fn peel(&self) -> &Expr {
        let mut inner = self;
        while let ExprKind::Parens(next) = &inner.kind {
            inner = next;
        }
        inner
    }
}

impl Item {
    /// All of the item.
    pub fn span(&self) -> Span {
        match self {
            Item::Import(import) => import.span,
            Item::Block(definition) | Item::Net(definition) => definition.span,
            Item::Train(train) => train.span,
        }
    }
}

impl Statement {
    /// All of the statement.
    pub fn span(&self) -> Span {
        match self {
            Statement::Input(input) => input.span,
            Statement::Let(binding) => binding.span,
            Statement::Param(param) => param.span,
        }
    }
}

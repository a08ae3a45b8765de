//! pest's pairs as AST: expressions.

use super::Rule;
use super::build::{Builder, parts, unescape};
use crate::ast::*;
use pest::iterators::Pair;
use pest::pratt_parser::{Assoc, Op, PrattParser};
use std::sync::LazyLock;

/// Loosest first.
static PRECEDENCE: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    let left = |rule| Op::infix(rule, Assoc::Left);
    PrattParser::new()
        .op(left(Rule::or))
        .op(left(Rule::and))
        .op(left(Rule::equal)
            | left(Rule::not_equal)
            | left(Rule::less)
            | left(Rule::at_most)
            | left(Rule::greater)
            | left(Rule::at_least))
        .op(left(Rule::add) | left(Rule::subtract))
        .op(left(Rule::multiply) | left(Rule::divide) | left(Rule::remainder))
        .op(Op::prefix(Rule::negate) | Op::prefix(Rule::not))
});

impl Builder {
    pub(super) fn expression(&mut self, pair: Pair<'_, Rule>) -> Option<Expr> {
        let span = self.span(&pair);
        let mut inner = parts(pair);
        let first = self.operation(inner.next()?)?;
        let mut stages = Vec::new();
        for pair in inner {
            stages.push(self.primary(pair)?);
        }
        if stages.is_empty() {
            return Some(first);
        }
        let first = Box::new(first);
        Some(Expr {
            kind: ExprKind::Pipe(Pipe { first, stages }),
            span,
        })
    }

    fn operation(&mut self, pair: Pair<'_, Rule>) -> Option<Expr> {
        let span = self.span(&pair);
        let inner = pair.into_inner();
        let terms = inner.len();
        self.deeper(terms, span, |builder| {
            let mut operands = Vec::new();
            for pair in inner.clone().filter(|pair| pair.as_rule() == Rule::postfix) {
                operands.push(builder.postfix(pair)?);
            }
            let mut operands = operands.into_iter();
            PRECEDENCE
                .map_primary(|_| operands.next())
                .map_prefix(|op, operand| builder.prefix(op, operand?))
                .map_infix(|left, op, right| builder.infix(left?, op, right?))
                .parse(inner)
        })
    }

    fn prefix(&self, op: Pair<'_, Rule>, operand: Expr) -> Option<Expr> {
        let span = self.span(&op).to(operand.span);
        let op = match op.as_rule() {
            Rule::negate => UnaryOp::Negate,
            Rule::not => UnaryOp::Not,
            _ => return None,
        };
        Some(Expr {
            kind: ExprKind::Unary(op, Box::new(operand)),
            span,
        })
    }

    fn infix(&self, left: Expr, op: Pair<'_, Rule>, right: Expr) -> Option<Expr> {
        let op_span = self.span(&op);
        let op = match op.as_rule() {
            Rule::or => BinaryOp::Or,
            Rule::and => BinaryOp::And,
            Rule::equal => BinaryOp::Equal,
            Rule::not_equal => BinaryOp::NotEqual,
            Rule::less => BinaryOp::Less,
            Rule::at_most => BinaryOp::AtMost,
            Rule::greater => BinaryOp::Greater,
            Rule::at_least => BinaryOp::AtLeast,
            Rule::add => BinaryOp::Add,
            Rule::subtract => BinaryOp::Subtract,
            Rule::multiply => BinaryOp::Multiply,
            Rule::divide => BinaryOp::Divide,
            Rule::remainder => BinaryOp::Remainder,
            _ => return None,
        };
        Some(Expr {
            span: left.span.to(right.span),
            kind: ExprKind::Binary(Binary {
                op,
                op_span,
                left: Box::new(left),
                right: Box::new(right),
            }),
        })
    }

    fn postfix(&mut self, pair: Pair<'_, Rule>) -> Option<Expr> {
        self.fields(pair, Self::primary)
    }

    fn member_name(&mut self, pair: Pair<'_, Rule>) -> Option<Expr> {
        Some(Expr {
            span: self.span(&pair),
            kind: ExprKind::Name(pair.as_str().to_string()),
        })
    }

    /// What `first` makes of the first part, with the others as fields.
    fn fields(
        &mut self,
        pair: Pair<'_, Rule>,
        first: fn(&mut Self, Pair<'_, Rule>) -> Option<Expr>,
    ) -> Option<Expr> {
        let span = self.span(&pair);
        let levels = pair.clone().into_inner().len();
        let mut inner = parts(pair);
        let head = inner.next()?;
        self.deeper(levels, span, |builder| {
            let mut expr = first(builder, head)?;
            for pair in inner {
                let field = builder.name(pair);
                expr = Expr {
                    span: expr.span.to(field.span),
                    kind: ExprKind::Field(Box::new(expr), field),
                };
            }
            Some(expr)
        })
    }

    /// An operand of operators, or a stage of a pipe.
    fn primary(&mut self, pair: Pair<'_, Rule>) -> Option<Expr> {
        let span = self.span(&pair);
        let text = pair.as_str();
        let kind = match pair.as_rule() {
            // The token check has refused what does not fit.
            Rule::integer => ExprKind::Integer(text.parse().ok()?),
            Rule::float => ExprKind::Float(text.parse().ok()?),
            Rule::boolean => ExprKind::Bool(text == "true"),
            Rule::string => ExprKind::Text(unescape(text)),
            Rule::member => return self.fields(pair, Self::member_name),
            Rule::variable => ExprKind::Name(parts(pair).next()?.as_str().to_string()),
            Rule::call => ExprKind::Call(self.call(pair)?),
            Rule::parens => self.parens(pair)?,
            Rule::list => ExprKind::List(self.expressions(pair)?),
            Rule::if_else => ExprKind::If(self.if_else(pair)?),
            Rule::repeat => {
                let mut inner = parts(pair);
                ExprKind::Repeat(Repeat {
                    count: Box::new(self.operation(inner.next()?)?),
                    body: self.body(inner.next()?)?,
                })
            }
            _ => return None,
        };
        Some(Expr { kind, span })
    }

    fn call(&mut self, pair: Pair<'_, Rule>) -> Option<Call> {
        let mut inner = parts(pair);
        let callee = self.name(inner.next()?);
        let mut arguments = Vec::new();
        for pair in inner {
            let span = self.span(&pair);
            let mut inner = parts(pair).peekable();
            let name = inner
                .next_if(|pair| pair.as_rule() == Rule::name)
                .map(|pair| self.name(pair));
            let value = self.expression(inner.next()?)?;
            arguments.push(Argument { name, value, span });
        }
        Some(Call { callee, arguments })
    }

    fn parens(&mut self, pair: Pair<'_, Rule>) -> Option<ExprKind> {
        let comma = pair
            .clone()
            .into_inner()
            .any(|pair| pair.as_rule() == Rule::comma);
        let mut items = self.expressions(pair)?;
        if comma {
            return Some(ExprKind::Tuple(items));
        }
        Some(ExprKind::Parens(Box::new(items.pop()?)))
    }

    fn expressions(&mut self, pair: Pair<'_, Rule>) -> Option<Vec<Expr>> {
        let mut items = Vec::new();
        for pair in parts(pair) {
            items.push(self.expression(pair)?);
        }
        Some(items)
    }

    fn if_else(&mut self, pair: Pair<'_, Rule>) -> Option<If> {
        let mut branches = Vec::new();
        let mut otherwise = None;
        let mut inner = parts(pair).peekable();
        while let Some(pair) = inner.next() {
            if pair.as_rule() == Rule::body {
                otherwise = Some(self.body(pair)?);
                break;
            }
            let condition = self.operation(pair)?;
            branches.push((condition, self.body(inner.next()?)?));
        }
        Some(If {
            branches,
            otherwise,
        })
    }
}

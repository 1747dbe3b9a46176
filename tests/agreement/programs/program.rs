// Traits, closures, generic collections, formatting: most of the code is of the standard library.
use std::collections::{BTreeMap, HashMap};
use std::fmt;

#[derive(Debug, Clone, PartialEq)]
enum Value {
    Number(f64),
    Text(String),
    List(Vec<Value>),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(n) => write!(f, "{n}"),
            Value::Text(t) => write!(f, "{t:?}"),
            Value::List(items) => {
                for item in items {
                    write!(f, "[{item}]")?;
                }
                Ok(())
            }
        }
    }
}

fn parse(text: &str) -> Result<Value, std::num::ParseFloatError> {
    if text.contains(';') {
        return text.split(';').map(parse).collect::<Result<Vec<_>, _>>().map(Value::List);
    }
    if text.starts_with('"') {
        return Ok(Value::Text(text.trim_matches('"').to_string()));
    }
    text.parse().map(Value::Number)
}

trait Visitor {
    fn visit(&mut self, value: &Value);
}

#[derive(Default)]
struct Count(HashMap<String, usize>);

impl Visitor for Count {
    fn visit(&mut self, value: &Value) {
        if let Value::List(items) = value {
            items.iter().for_each(|item| self.visit(item));
        }
        *self.0.entry(value.to_string()).or_insert(0) += 1;
    }
}

fn main() {
    let mut count = Count::default();
    let visitor: &mut dyn Visitor = &mut count;
    for i in 0..1000 {
        match parse(&format!("{};\"{}\";{}", i, i % 7, i as f64 / 3.0)) {
            Ok(value) => visitor.visit(&value),
            Err(error) => eprintln!("{error}"),
        }
    }
    let sorted: BTreeMap<_, _> = count.0.iter().map(|(k, v)| (v, k)).collect();
    let thread = std::thread::spawn(move || (0..100u64).filter(|n| n % 3 == 0).sum::<u64>());
    println!("{:?} {}", sorted.iter().next_back(), thread.join().unwrap());
}

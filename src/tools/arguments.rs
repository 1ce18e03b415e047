//! Raw JSON object → typed, validated arguments, or all problems at once in words for a model.
//!
//! garde needs a complete struct and serde stops at the first wrong field, so the raw object is gone over with the published
//! schema first: what is certain is coerced, a good value is put into each bad slot. The struct made of that is validated by
//! garde and by the checks that no schema can express; findings that touch a replaced slot are dropped, since they are about
//! a value that nobody gave. The replaced values are the corrected call.

mod coerce;
mod rule;
mod unknown;

use garde::Validate;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::Tool;
use super::problem::{Fix, Problem, refusal};
use super::schema::published;
use crate::clock::Clock;

pub use coerce::trimmed;
pub use rule::ArgumentRule;

/// Unknown arguments beyond this many are counted, and no longer searched for what they may mean: nobody reads so far.
const MAX_UNKNOWN: usize = 50;

/// Arguments of a tool. The type with its garde rules is the one place for each rule: the check, the published schema and
/// the words of the messages come from it.
pub trait Arguments: DeserializeOwned + JsonSchema + Validate<Context = ()> + Send + Sync + 'static {
    /// Words that models use for an argument, and the argument they mean (an empty one: none of them, but known).
    const SYNONYMS: &'static [(&'static str, &'static str)];
    /// Arguments whose blanks at the ends may be part of a name.
    const KEEPS_BLANKS: &'static [&'static str];
    /// Checks that no schema can express.
    fn check(&self, clock: &Clock) -> Vec<Problem>;
}

/// Arguments that were validated. There is no other way to make one than [`check`].
#[derive(Debug)]
pub struct Valid<A>(A);

impl<A> std::ops::Deref for Valid<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.0
    }
}

/// Validated arguments, with the call as it was understood.
pub type Checked<A> = (Valid<A>, Map<String, Value>);

/// Checks a tool's raw arguments. Gives them validated, with the call as it was understood; or the text of the refusal.
///
/// # Errors
/// The text that tells the model every problem (SEP-1303: as a result, so that it can mend the call).
pub fn check<T: Tool>(raw: Map<String, Value>, clock: &Clock) -> Result<Checked<T::Arguments>, String> {
    let rules = &published::<T>().rules;
    let mut sifted = Sifted::default();
    sifted.sift::<T::Arguments>(raw, rules);
    let Sifted { mut problems, call, stand_ins, replaced } = sifted;
    let mut complete = call.clone();
    complete.extend(stand_ins);
    let arguments: T::Arguments = match serde_json::from_value(Value::Object(complete)) {
        Ok(arguments) => arguments,
        Err(error) => panic!("the rules let through what the type does not take, in column {}", error.column()),
    };
    let is_about_given =
        |problem: &Problem| problem.looked_at.iter().all(|name| !replaced.iter().any(|known| known == name));
    problems.extend(by_garde(&arguments).into_iter().chain(arguments.check(clock)).filter(is_about_given));
    if problems.is_empty() { Ok((Valid(arguments), call)) } else { Err(refusal(T::NAME, &problems, Some(call))) }
}

/// garde's own findings. The published schema is derived from the same rules, so there should be none left.
fn by_garde(arguments: &impl Validate<Context = ()>) -> Vec<Problem> {
    let Err(report) = arguments.validate() else { return Vec::new() };
    let finding = |(path, error): &(garde::Path, garde::Error)| {
        Problem::new(&path.to_string(), error.message().to_owned(), &[], Fix::Impossible)
    };
    report.iter().map(finding).collect()
}

/// The raw object, sifted.
#[derive(Debug, Default)]
struct Sifted {
    problems: Vec<Problem>,
    /// The call with its good values, in the order they were given; it becomes the corrected call.
    call: Map<String, Value>,
    /// Values for required slots that have none, so that the other checks can run.
    stand_ins: Map<String, Value>,
    /// Arguments whose slot does not hold what was given.
    replaced: Vec<String>,
}

impl Sifted {
    fn sift<A: Arguments>(&mut self, raw: Map<String, Value>, rules: &[ArgumentRule]) {
        let is_given = |rule: &&ArgumentRule| raw.get(&rule.name).is_some_and(|value| !rule::is_absent(value));
        let given: Vec<String> = rules.iter().filter(is_given).map(|rule| rule.name.clone()).collect();
        let mut unknown = 0;
        for (name, value) in raw {
            if let Some(rule) = rules.iter().find(|rule| rule.name == name) {
                self.known(rule, &value);
                continue;
            }
            unknown += 1;
            if unknown <= MAX_UNKNOWN {
                self.unknown::<A>(rules, &given, name, &value);
            } else {
                self.problems.push(Problem::new(&name, "unknown argument, leave it out", &[], Fix::Drop(&[])));
            }
        }
        for rule in rules.iter().filter(|rule| rule.is_required) {
            if !self.call.contains_key(&rule.name) {
                if !self.problems.iter().any(|problem| problem.argument == rule.name) {
                    self.problems.push(Problem::new(&rule.name, rule.missing(), &[], Fix::Impossible));
                }
                self.stand_ins.insert(rule.name.clone(), rule.stand_in());
                self.replaced.push(rule.name.clone());
            }
        }
    }

    fn known(&mut self, rule: &ArgumentRule, value: &Value) {
        match rule.read(value) {
            Ok(None) => {}
            Ok(Some(value)) => {
                self.call.insert(rule.name.clone(), value);
            }
            Err(bad) => {
                let fix = if rule.is_required { Fix::Impossible } else { Fix::Drop(&[]) };
                self.problems.push(Problem::new(&rule.name, bad.words, &[], fix));
                self.replaced.push(rule.name.clone());
                if let Some(instead) = bad.instead {
                    self.call.insert(rule.name.clone(), instead);
                }
            }
        }
    }

    /// An unknown argument: renamed when it is clear which one is meant, with its value kept, else left out.
    fn unknown<A: Arguments>(&mut self, rules: &[ArgumentRule], given: &[String], name: String, value: &Value) {
        let meant = unknown::meant::<A>(&name, rules);
        let is_known =
            |name: &String| given.contains(name) || self.call.contains_key(name) || self.replaced.contains(name);
        let taken = meant.is_some_and(|rule| is_known(&rule.name));
        let mut words = unknown::words(meant, taken, rules);
        if let Some(rule) = meant.filter(|_| !taken) {
            match rule.read(value) {
                Ok(Some(value)) => {
                    self.call.insert(rule.name.clone(), value);
                }
                Ok(None) => {}
                Err(bad) => {
                    self.replaced.push(rule.name.clone());
                    match bad.instead {
                        None if rule.is_required => {
                            self.problems.push(Problem::new(&rule.name, bad.words, &[], Fix::Impossible));
                        }
                        instead => {
                            words += &format!(" Its value {}", bad.words);
                            self.call.extend(instead.map(|instead| (rule.name.clone(), instead)));
                        }
                    }
                }
            }
        }
        self.problems.push(Problem { argument: name, words, looked_at: &[], fix: Fix::Drop(&[]) });
    }
}

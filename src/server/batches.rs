//! Where an answer goes: a line of its own, or the one line that answers a whole batch (MCP 2025-03-26).
//!
//! A batch is answered when the last of its messages is settled, in the order in which they were.

use std::collections::HashMap;

use crate::jsonrpc::{self, Response};

/// Where the answer to a message belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Destination {
    /// On a line of its own.
    Line,
    /// In the array that answers this batch.
    Batch(u64),
}

/// The batches that are not answered yet.
#[derive(Debug, Default)]
pub(super) struct Batches {
    open: HashMap<u64, Batch>,
    opened: u64,
}

#[derive(Debug)]
struct Batch {
    unsettled: usize,
    responses: Vec<Response>,
}

impl Batches {
    /// Begins a batch of `messages`, each of which must be settled once.
    pub(super) fn open(&mut self, messages: usize) -> Destination {
        self.opened += 1;
        self.open.insert(self.opened, Batch { unsettled: messages, responses: Vec::new() });
        Destination::Batch(self.opened)
    }

    /// Takes the response to one message, or the news that there will be none; the line to send, if one is complete.
    pub(super) fn settle(&mut self, destination: Destination, response: Option<Response>) -> Option<String> {
        let Destination::Batch(number) = destination else {
            return response.map(|response| jsonrpc::line(&response));
        };
        let batch = self.open.get_mut(&number)?;
        batch.responses.extend(response);
        batch.unsettled -= 1;
        if batch.unsettled > 0 {
            return None;
        }
        let responses = self.open.remove(&number)?.responses;
        (!responses.is_empty()).then(|| jsonrpc::line(&responses))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jsonrpc::ErrorObject;

    fn response() -> Response {
        Response::unaddressed(ErrorObject::internal("x"))
    }

    #[test]
    fn a_batch_is_answered_when_its_last_message_is_settled() {
        let mut batches = Batches::default();
        let (first, second) = (batches.open(3), batches.open(1));
        assert_eq!(batches.settle(first, Some(response())), None);
        assert!(batches.settle(Destination::Line, Some(response())).is_some_and(|line| line.starts_with('{')));
        assert!(batches.settle(second, Some(response())).is_some_and(|line| line.starts_with("[{")));
        assert_eq!(batches.settle(first, None), None);
        let line = batches.settle(first, Some(response())).unwrap();
        assert_eq!(line.matches("jsonrpc").count(), 2);
        assert!(batches.open.is_empty());
    }

    #[test]
    fn a_batch_without_answers_is_not_answered() {
        let mut batches = Batches::default();
        let batch = batches.open(1);
        assert_eq!(batches.settle(batch, None), None);
        assert!(batches.open.is_empty());
    }
}

//! The line parser: any bytes become a message or an addressed fault, never a panic; ids come back as they are.

use note_search_mcp::jsonrpc;
use note_search_mcp::transport::{Line, Lines};
use proptest::prelude::*;
use serde_json::Value;

/// Text that is nearly a request.
fn nearly_a_request() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        r#"{"jsonrpc":"2.0","#,
        r#""id":1,"#,
        r#""id":"a","#,
        r#""id":null,"#,
        r#""id":1.5,"#,
        r#""id":18446744073709551616,"#,
        r#""method":"ping""#,
        r#""method":"tools/call","#,
        r#""params":{"name":"x"}"#,
        r#""params":[]"#,
        r#""result":{}"#,
        r#""error":{}"#,
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\ud800",
        "null",
        "1e999",
        " ",
        "\u{feff}",
    ]);
    prop_oneof![
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat()),
        ".{0,80}",
        any::<Vec<u8>>().prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
    ]
}

proptest! {
    #[test]
    fn any_line_is_a_message_or_a_fault(line in nearly_a_request()) {
        let _ = jsonrpc::read(&line);
    }

    #[test]
    fn lines_end_at_line_feeds_alone(parts in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..40), 1..6)) {
        let parts: Vec<Vec<u8>> = parts.into_iter().map(|part| part.into_iter().filter(|byte| *byte != b'\n').collect()).collect();
        let input = parts.join(&b'\n');
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let read = runtime.block_on(async {
            let mut lines = Lines::new(&input[..]);
            let mut read = Vec::new();
            while let Ok(Some(line)) = lines.next().await {
                read.push(line);
            }
            read
        });
        for line in &read {
            prop_assert!(!matches!(line, Line::TooLong));
        }
        prop_assert!(read.len() <= parts.len());
    }

    #[test]
    fn a_whole_request_is_understood(id in prop_oneof![any::<i64>().prop_map(Value::from), ".{0,20}".prop_map(Value::from)], method in "[a-z/]{1,20}") {
        let line = serde_json::json!({"jsonrpc": "2.0", "id": id, "method": method}).to_string();
        let shown = format!("{:?}", jsonrpc::read(&line));
        prop_assert!(shown.contains("Request"), "{shown}");
    }
}

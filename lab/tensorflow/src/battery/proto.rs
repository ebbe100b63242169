//! Just enough of a protobuf writer for graphs.

/// A message under construction.
#[derive(Clone, Debug, Default)]
pub struct MessageBuilder(pub Vec<u8>);

impl MessageBuilder {
    fn number(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.0.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.0.push(n as u8);
    }

    pub fn int(mut self, field: u32, n: i64) -> Self {
        self.number(u64::from(field) << 3);
        self.number(n as u64);
        self
    }

    pub fn float(mut self, field: u32, n: f32) -> Self {
        self.number(u64::from(field) << 3 | 5);
        self.0.extend(n.to_le_bytes());
        self
    }

    pub fn bytes(mut self, field: u32, bytes: &[u8]) -> Self {
        self.number(u64::from(field) << 3 | 2);
        self.number(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    pub fn text(self, field: u32, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    pub fn message(self, field: u32, message: MessageBuilder) -> Self {
        self.bytes(field, &message.0)
    }
}

/// The shape of a tensor.
pub fn shape(dims: &[i64]) -> MessageBuilder {
    let dims = dims.iter().map(|dim| MessageBuilder::default().int(1, *dim));
    dims.fold(MessageBuilder::default(), |shape, dim| shape.message(2, dim))
}

/// An `AttrValue` that is an integer; those of other types follow.
pub fn int(n: i64) -> MessageBuilder {
    MessageBuilder::default().int(3, n)
}
pub fn float(n: f32) -> MessageBuilder {
    MessageBuilder::default().float(4, n)
}
pub fn boolean(b: bool) -> MessageBuilder {
    MessageBuilder::default().int(5, i64::from(b))
}
pub fn dtype(number: i64) -> MessageBuilder {
    MessageBuilder::default().int(6, number)
}
pub fn shapes(shapes: &[&[i64]]) -> MessageBuilder {
    let list =
        shapes.iter().fold(MessageBuilder::default(), |list, dims| list.message(7, shape(dims)));
    MessageBuilder::default().message(1, list)
}
pub fn tensor(dtype: i64, dims: &[i64]) -> MessageBuilder {
    let head = MessageBuilder::default().int(1, dtype).message(2, shape(dims));
    // Old importers want a value, which stands for all.
    let whole = match dtype {
        1 => head.float(5, 0.5),
        3 => head.int(7, 0),
        _ => head,
    };
    MessageBuilder::default().message(8, whole)
}

/// A node of an op with inputs and attributes.
pub fn node(
    name: &str,
    op: &str,
    inputs: &[&str],
    attrs: &[(&str, MessageBuilder)],
) -> MessageBuilder {
    let mut node = MessageBuilder::default().text(1, name).text(2, op);
    for input in inputs {
        node = node.text(3, input);
    }
    for (name, value) in attrs {
        node = node.message(5, MessageBuilder::default().text(1, name).message(2, value.clone()));
    }
    node
}

/// A graph under construction.
#[derive(Default)]
pub struct GraphBuilder {
    pub producer: i64,
    pub min_consumer: i64,
    pub bad_consumers: Vec<i64>,
    pub nodes: Vec<MessageBuilder>,
    pub functions: Vec<MessageBuilder>,
}

impl GraphBuilder {
    pub fn new(producer: i64) -> Self {
        Self { producer, ..Self::default() }
    }

    pub fn with(mut self, node: MessageBuilder) -> Self {
        self.nodes.push(node);
        self
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut graph = MessageBuilder::default();
        for node in &self.nodes {
            graph = graph.message(1, node.clone());
        }
        let library = self
            .functions
            .iter()
            .fold(MessageBuilder::default(), |all, one| all.message(1, one.clone()));
        graph = graph.message(2, library);
        let mut versions =
            MessageBuilder::default().int(1, self.producer).int(2, self.min_consumer);
        for bad in &self.bad_consumers {
            versions = versions.int(3, *bad);
        }
        graph.message(4, versions).0
    }
}

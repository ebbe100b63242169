//! How a job travels between client, scheduler and executors: as JSON behind a mark. All other nodes are Ballista's.

use std::sync::Arc;

use ballista_core::serde::{BallistaLogicalExtensionCodec, BallistaPhysicalExtensionCodec};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::common::{TableReference, internal_err};
use datafusion::datasource::file_format::FileFormatFactory;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{Extension, LogicalPlan};
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use serde::{Deserialize, Serialize};

use crate::{Job, Shards, ShardsPlan};

/// What a job begins with. No message of protobuf does: its first byte would be a field without a number.
const MARK: &[u8] = b"\0unskew-shards-1\0";

/// A node of a plan, as it travels.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Node {
    job: Job,
    columns: Option<Vec<usize>>,
}

impl Node {
    fn encode(&self, to: &mut Vec<u8>) -> Result<()> {
        to.extend_from_slice(MARK);
        serde_json::to_writer(to, self).map_err(|error| DataFusionError::External(Box::new(error)))
    }

    fn decode(bytes: &[u8]) -> Option<Result<Self>> {
        let text = bytes.strip_prefix(MARK)?;
        let node = serde_json::from_slice(text);
        Some(node.map_err(|error| DataFusionError::External(Box::new(error))))
    }
}

/// Reads and writes plans as the client makes them.
#[derive(Debug, Default)]
pub struct Logical(BallistaLogicalExtensionCodec);

impl LogicalExtensionCodec for Logical {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[LogicalPlan],
        context: &TaskContext,
    ) -> Result<Extension> {
        self.0.try_decode(bytes, inputs, context)
    }

    fn try_encode(&self, node: &Extension, to: &mut Vec<u8>) -> Result<()> {
        self.0.try_encode(node, to)
    }

    fn try_decode_table_provider(
        &self,
        bytes: &[u8],
        name: &TableReference,
        schema: SchemaRef,
        context: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        match Node::decode(bytes) {
            Some(node) => Ok(Arc::new(Shards::new(node?.job))),
            None => self.0.try_decode_table_provider(bytes, name, schema, context),
        }
    }

    fn try_encode_table_provider(
        &self,
        name: &TableReference,
        table: Arc<dyn TableProvider>,
        to: &mut Vec<u8>,
    ) -> Result<()> {
        match table.downcast_ref::<Shards>() {
            Some(shards) => Node { job: shards.job.clone(), columns: None }.encode(to),
            None => self.0.try_encode_table_provider(name, table, to),
        }
    }

    fn try_decode_file_format(
        &self,
        bytes: &[u8],
        context: &TaskContext,
    ) -> Result<Arc<dyn FileFormatFactory>> {
        self.0.try_decode_file_format(bytes, context)
    }

    fn try_encode_file_format(
        &self,
        to: &mut Vec<u8>,
        format: Arc<dyn FileFormatFactory>,
    ) -> Result<()> {
        self.0.try_encode_file_format(to, format)
    }
}

/// Reads and writes plans as executors run them.
#[derive(Debug, Default)]
pub struct Physical(BallistaPhysicalExtensionCodec);

impl PhysicalExtensionCodec for Physical {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match Node::decode(bytes) {
            Some(node) => {
                let Node { job, columns } = node?;
                let [input] = inputs else { return internal_err!("ShardsPlan has one input") };
                Ok(Arc::new(ShardsPlan::of(job, columns, input.clone())?))
            }
            None => self.0.try_decode(bytes, inputs, context, converter),
        }
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        to: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        match node.downcast_ref::<ShardsPlan>() {
            Some(plan) => Node { job: plan.job.clone(), columns: plan.columns.clone() }.encode(to),
            None => self.0.try_encode(node, to, converter),
        }
    }
}

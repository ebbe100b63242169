//! The node of a plan that scans.
//!
//! Its input says which shards: a table in memory with a partition a shard and one row in each. Ballista gives each task
//! some partitions of a stage, and cuts the leaves of the plan to them; it can cut tables in memory, and no leaves of others.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{Array as _, Int64Array, RecordBatch};
use datafusion::arrow::compute::concat_batches;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{internal_err, plan_err};
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{
    Boundedness, ChildrenPropertiesMode, EmissionType, ReplaceChildrenOptions,
};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
};
use futures_util::TryStreamExt as _;

use crate::columns::schema;
use crate::{Done, Job};

/// How many shards a job may have: all of them travel in one plan.
const SHARDS: u32 = 10_000;

/// Scans each shard that its input names, and says what was done.
#[derive(Debug)]
pub struct ShardsPlan {
    pub(crate) job: Job,
    /// The columns that are wanted, by their numbers; none means all.
    pub(crate) columns: Option<Vec<usize>>,
    /// The plan whose rows name the shards to scan.
    input: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
}

impl ShardsPlan {
    /// The plan of a whole job: a partition a shard.
    ///
    /// # Errors
    /// If a column does not exist, or there are more shards than a plan can carry.
    pub fn new(job: Job, columns: Option<Vec<usize>>) -> Result<Self> {
        if job.shards > SHARDS {
            return plan_err!("more than {SHARDS} shards are no job: {}", job.shards);
        }
        let first = Arc::new(schema().project(&[0])?);
        let partition = |shard: u32| {
            let number = Arc::new(Int64Array::from(vec![i64::from(shard)]));
            Ok(vec![RecordBatch::try_new(first.clone(), vec![number])?])
        };
        let partitions: Result<Vec<Vec<RecordBatch>>> = (1..=job.shards).map(partition).collect();
        let input = MemorySourceConfig::try_new_exec(&partitions?, first.clone(), None)?;
        Self::of(job, columns, input)
    }

    /// The plan for the shards that `input` names, in its first column.
    ///
    /// # Errors
    /// If a column does not exist.
    pub(crate) fn of(
        job: Job,
        columns: Option<Vec<usize>>,
        input: Arc<dyn ExecutionPlan>,
    ) -> Result<Self> {
        let schema = match &columns {
            Some(columns) => Arc::new(schema().project(columns)?),
            None => schema(),
        };
        let partitions = input.properties().output_partitioning().partition_count();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(partitions),
            EmissionType::Final,
            Boundedness::Bounded,
        );
        Ok(Self { job, columns, input, properties: Arc::new(properties) })
    }
}

impl DisplayAs for ShardsPlan {
    fn fmt_as(&self, _format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ShardsPlan: {} shards of {}", self.job.shards, self.job.uris.join(", "))
    }
}

impl ExecutionPlan for ShardsPlan {
    fn name(&self) -> &'static str {
        "ShardsPlan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        // The shards are parts already.
        vec![false]
    }

    fn apply_expressions(
        &self,
        _visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        _options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Ok([input]) = <[_; 1]>::try_from(children) else {
            return internal_err!("ShardsPlan has one input");
        };
        Ok(Arc::new(Self::of(self.job.clone(), self.columns.clone(), input)?))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(
            children,
            ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute),
        )
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let (job, columns) = (self.job.clone(), self.columns.clone());
        let named = self.input.execute(partition, context)?;
        let done = named.and_then(move |named| scanned(job.clone(), columns.clone(), named));
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), done)))
    }
}

/// Scans the shards of a batch, one after the other.
async fn scanned(job: Job, columns: Option<Vec<usize>>, named: RecordBatch) -> Result<RecordBatch> {
    let numbers = named.columns().first().and_then(|column| column.as_any().downcast_ref());
    let Some(numbers) = numbers.map(Int64Array::values) else {
        return internal_err!("the input of ShardsPlan names no shards");
    };
    let mut batches = Vec::new();
    for number in numbers.iter().copied() {
        let shard = u32::try_from(number).unwrap_or(0);
        // A scan waits and computes on threads of its own; those of the executor stay free for its heartbeat.
        let job = job.clone();
        let summary = tokio::task::spawn_blocking(move || job.run(shard)).await;
        let summary = summary.map_err(|error| DataFusionError::External(Box::new(error)))?;
        // As text: what travels back is printed as it is kept, not as it is said.
        let summary = summary.map_err(|error| DataFusionError::Execution(error.to_string()))?;
        batches.push(Done::of(shard, &summary).batch()?);
    }
    let batch = concat_batches(&schema(), &batches)?;
    match columns {
        Some(columns) => Ok(batch.project(&columns)?),
        None => Ok(batch),
    }
}

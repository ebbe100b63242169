//! A job as a table of DataFusion.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;

use crate::columns::schema;
use crate::{Job, ShardsPlan};

/// A job as a table with a row a shard. Whoever reads the table runs the job.
#[derive(Debug)]
pub struct Shards {
    pub(crate) job: Job,
}

impl Shards {
    /// The table of a job.
    pub fn new(job: Job) -> Self {
        Self { job }
    }
}

#[async_trait]
impl TableProvider for Shards {
    fn schema(&self) -> SchemaRef {
        schema()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        _limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(ShardsPlan::new(self.job.clone(), projection.cloned())?))
    }
}

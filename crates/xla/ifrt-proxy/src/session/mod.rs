//! Sessions: the requests of one client, done in their order by one thread.
//!
//! A request that waits for a device does not hold up those behind it: it is answered when the device is
//! done. What a request would have made stands, where it fails, for its error.

mod arrays;
mod copies;
mod execute;
mod init;
mod layout;
mod programs;
mod reshard;

use std::sync::{Arc, mpsc};

use crate::handles::HandleTable;
use crate::host_buffers::HostBuffers;
use crate::limits::ServerLimits;
use crate::memory_quota::QuotaGuard;
use crate::messages::{Empty, Flag, RequestBody, ResponseBody};
use crate::negotiate::SessionVersions;
use crate::platform::ServedPlatform;
use crate::program::Loaded;
use crate::reply::{Replies, Reply};
use crate::session_status::SessionStatus;
use crate::sessions::SessionPermit;
use crate::status::{Status, StatusCode};

/// What one client has and wants.
#[derive(Debug)]
pub struct Session {
    pub(crate) id: u64,
    pub(crate) agreed: SessionVersions,
    pub(crate) platform: Arc<ServedPlatform>,
    pub(crate) buffers: Arc<HostBuffers>,
    pub(crate) handles: HandleTable,
    pub(crate) limits: ServerLimits,
    pub(crate) runtime: tokio::runtime::Handle,
    ongoing: Arc<SessionStatus>,
    begun: bool,
    /// How many programs are compiled beside it.
    compiling: usize,
}

/// How many programs of a session are compiled beside its other requests. One more is compiled in its turn.
const COMPILING: usize = 8;

/// What a session does next.
#[derive(Debug)]
pub enum SessionEvent {
    /// A request.
    Request(Incoming),
    /// The answer to one that was done beside others: a program was compiled, or not.
    Compiled(Reply, Result<Box<Loaded>, Status>),
}

/// A request, the duty to answer it, and why it is refused, if it is.
#[derive(Debug)]
pub struct Incoming {
    /// The request, or why it is not to be done.
    pub ask: Result<RequestBody, RefusedRequest>,
    /// The duty to answer it.
    pub reply: Reply,
    /// Its bytes, if it is large.
    pub charge: Option<QuotaGuard>,
    /// Where a compiled program goes; none if others wait for it.
    pub turns: Option<mpsc::Sender<SessionEvent>>,
}

/// Why a request is not to be done. What it would have made stands for this error.
#[derive(Debug)]
pub struct RefusedRequest {
    why: Status,
    made: Vec<u64>,
}

impl RefusedRequest {
    /// A request that is refused, of which only the handles are kept.
    pub fn new(ask: &RequestBody, why: Status) -> Self {
        Self { why, made: made_by(ask) }
    }

    /// A request of a kind that is not known here.
    pub fn unknown() -> Self {
        let why = Status::unimplemented("a request of a kind that this server does not know");
        Self { why, made: Vec::new() }
    }
}

/// What a request is called that is of no known kind.
pub const UNKNOWN: &str = "unknown_request";

impl Session {
    /// The session of a seat, in which nothing has happened yet. What waits for devices waits on `runtime`.
    pub fn new(
        seat: &SessionPermit,
        platform: Arc<ServedPlatform>,
        limits: ServerLimits,
        runtime: tokio::runtime::Handle,
    ) -> Self {
        let ongoing = Arc::clone(&seat.ongoing);
        Self {
            id: seat.id,
            agreed: ongoing.agreed,
            platform,
            buffers: Arc::clone(&seat.buffers),
            handles: HandleTable::new(limits.handles, Arc::clone(&ongoing.account)),
            limits,
            runtime,
            ongoing,
            begun: false,
            compiling: 0,
        }
    }

    /// Does all requests in their order, but for compiling, until there are no more, or nobody waits for them.
    pub fn serve(mut self, turns: &mpsc::Receiver<SessionEvent>, replies: &Replies) {
        while let Some(turn) = next(turns, replies) {
            if self.ongoing.is_gone() {
                return;
            }
            let (SessionEvent::Request(Incoming { reply, .. }) | SessionEvent::Compiled(reply, _)) =
                &turn;
            let name = reply.name();
            self.ongoing.begin(name);
            match turn {
                SessionEvent::Request(incoming) => self.take(incoming),
                SessionEvent::Compiled(reply, program) => {
                    self.compiling -= 1;
                    let compiled = program.and_then(|program| self.compiled(*program));
                    reply.send(compiled.map(ResponseBody::Compile));
                }
            }
            self.ongoing.end(name, self.handles.len());
        }
    }

    /// Does one request, or refuses it.
    pub fn take(&mut self, incoming: Incoming) {
        let Incoming { ask, reply, charge, turns } = incoming;
        match (ask, turns) {
            (Ok(RequestBody::Compile(asked)), Some(turns))
                if self.begun && self.compiling < COMPILING =>
            {
                self.compile_beside(asked, (reply, charge), turns);
                return;
            }
            (Ok(ask), _) => self.handle(ask, reply),
            (Err(RefusedRequest { why, made }), _) => {
                made.iter().for_each(|handle| self.handles.poison(*handle, &why));
                reply.send(Err(why));
            }
        }
        drop(charge);
    }

    fn handle(&mut self, ask: RequestBody, reply: Reply) {
        if !self.begun && !matches!(ask, RequestBody::Init(_)) {
            let text = format!("a session begins with init_request, and not with {}", ask.name());
            return reply.send(Err(Status::new(StatusCode::FailedPrecondition, text)));
        }
        let made = made_by(&ask);
        let result = match ask {
            RequestBody::CheckFuture(of) => return self.check_future(of.handle, reply),
            RequestBody::CheckValueReady(of) => return self.check_ready(&of.handles, reply),
            RequestBody::CopyToHost(asked) => return self.copy_to_host(&asked, reply),
            RequestBody::FetchExecuteResult(of) => return self.fetch_result(of.handle, reply),
            other => self.answer(other),
        };
        if let Err(status) = &result {
            made.iter().for_each(|handle| self.handles.poison(*handle, status));
        }
        reply.send(result);
    }

    /// Does a request that is answered at once.
    fn answer(&mut self, ask: RequestBody) -> Result<ResponseBody, Status> {
        let name = ask.name();
        Ok(match ask {
            RequestBody::Init(_) => ResponseBody::Init(self.init()?),
            RequestBody::MakeArray(asked) => ResponseBody::MakeArray(self.make_array(&asked)?),
            RequestBody::MakeArraysFromShards(asked) => {
                ResponseBody::MakeArraysFromShards(self.make_from_shards(&asked)?)
            }
            RequestBody::MakeErrorArrays(asked) => ResponseBody::MakeErrorArrays(self.make_errors(&asked)?),
            RequestBody::Assemble(asked) => ResponseBody::Assemble(self.assemble(&asked)?),
            RequestBody::Disassemble(asked) => ResponseBody::Disassemble(self.disassemble(&asked)?),
            RequestBody::FullyReplicatedShard(asked) => ResponseBody::FullyReplicatedShard(self.one_shard(asked)?),
            RequestBody::CopyArrays(asked) => ResponseBody::CopyArrays(self.copy_arrays(&asked)?),
            RequestBody::Remap(asked) => ResponseBody::Remap(self.remap(&asked)?),
            RequestBody::Bitcast(asked) => ResponseBody::Bitcast(self.bitcast(&asked)?),
            RequestBody::Reshard(asked) => ResponseBody::Reshard(self.reshard(&asked)?),
            RequestBody::OldReshard(asked) => ResponseBody::OldReshard(self.old_reshard(&asked)?),
            RequestBody::DeleteArray(of) => ResponseBody::DeleteArray(self.delete_arrays(of.all())?),
            RequestBody::IsArrayDeleted(of) => {
                ResponseBody::IsArrayDeleted(Flag { is: self.is_deleted(of.handle)? })
            }
            RequestBody::DestructArray(of) => {
                of.all().for_each(|handle| _ = self.handles.remove(handle));
                ResponseBody::DestructArray(Empty {})
            }
            RequestBody::Compile(asked) => ResponseBody::Compile(self.compile(&asked)?),
            RequestBody::ExecutableMetadata(of) => ResponseBody::ExecutableMetadata(self.metadata(of.handle)?),
            RequestBody::CostAnalysis(of) => ResponseBody::CostAnalysis(self.cost_analysis(of.handle)?),
            RequestBody::ProgramText(of) => ResponseBody::ProgramText(self.program_text(of.handle)?),
            RequestBody::Execute(asked) => ResponseBody::Execute(self.execute(&asked)?),
            RequestBody::DeleteExecutable(of) => ResponseBody::DeleteExecutable(self.delete_program(of.handle)?),
            RequestBody::IsExecutableDeleted(of) => {
                let program = self.handles.program(of.handle)?;
                ResponseBody::IsExecutableDeleted(Flag { is: program.executable.is_deleted()? })
            }
            RequestBody::DestructExecutable(of) => {
                self.handles.remove(of.handle);
                ResponseBody::DestructExecutable(Empty {})
            }
            RequestBody::DefaultDeviceAssignment(asked) => {
                ResponseBody::DefaultDeviceAssignment(self.default_assignment(asked)?)
            }
            RequestBody::DefaultLayout(asked) => ResponseBody::DefaultLayout(self.default_layout(&asked)?),
            RequestBody::PollHostCallback(_)
            | RequestBody::ReturnHostCallback(_)
            | RequestBody::MpmdMetadata(_)
            | RequestBody::MpmdCostAnalysis(_)
            // These four are answered by `handle`.
            | RequestBody::CheckFuture(_)
            | RequestBody::CheckValueReady(_)
            | RequestBody::CopyToHost(_)
            | RequestBody::FetchExecuteResult(_) => {
                return Err(Status::unimplemented(format!("this request is not served: {name}")));
            }
        })
    }
}

/// The next turn; while none comes, responses that waited for others are sent.
fn next(turns: &mpsc::Receiver<SessionEvent>, replies: &Replies) -> Option<SessionEvent> {
    while let Some(left) = replies.left() {
        match turns.recv_timeout(left) {
            Ok(turn) if !left.is_zero() => return Some(turn),
            turn => {
                replies.flush();
                if let Ok(turn) = turn {
                    return Some(turn);
                }
            }
        }
    }
    turns.recv().ok()
}

impl Drop for Session {
    fn drop(&mut self) {
        self.buffers.close();
    }
}

/// The handles that a client made for what it asks for.
fn made_by(ask: &RequestBody) -> Vec<u64> {
    match ask {
        RequestBody::MakeArray(asked) => asked.array.into_iter().collect(),
        RequestBody::MakeArraysFromShards(asked) => asked.arrays.clone(),
        RequestBody::MakeErrorArrays(asked) => asked.arrays.clone(),
        RequestBody::Assemble(asked) => vec![asked.result],
        RequestBody::FullyReplicatedShard(asked) => vec![asked.result],
        RequestBody::Disassemble(asked) => asked.results.clone(),
        RequestBody::CopyArrays(asked) => asked.results.clone(),
        RequestBody::Remap(asked) => asked.results.clone(),
        RequestBody::Reshard(asked) | RequestBody::Bitcast(asked) => asked.results.clone(),
        RequestBody::Execute(asked) => {
            let status = Some(asked.status).filter(|handle| *handle != 0);
            asked.results.iter().copied().chain(status).collect()
        }
        _ => Vec::new(),
    }
}

/// The handle that a client made for the result at a place; none lets the server make one.
///
/// # Errors
/// INVALID_ARGUMENT if it made some, and another number of them.
fn results(handles: &[u64], count: usize) -> Result<Vec<Option<u64>>, Status> {
    if handles.is_empty() {
        return Ok(vec![None; count]);
    }
    if handles.len() != count {
        let given = handles.len();
        return Err(Status::invalid(format!("{given} handles for {count} results")));
    }
    Ok(handles.iter().copied().map(Some).collect())
}

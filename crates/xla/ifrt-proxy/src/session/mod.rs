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

use crate::account::Charge;
use crate::handles::Handles;
use crate::host_buffers::HostBuffers;
use crate::limits::Limits;
use crate::messages::{Answer, Ask, Empty, Flag};
use crate::negotiate::Agreed;
use crate::ongoing::Ongoing;
use crate::platform::Platform;
use crate::program::Loaded;
use crate::reply::{Replies, Reply};
use crate::sessions::Seat;
use crate::status::{Code, Status};

/// What one client has and wants.
#[derive(Debug)]
pub struct Session {
    pub(crate) id: u64,
    pub(crate) agreed: Agreed,
    pub(crate) platform: Arc<Platform>,
    pub(crate) buffers: Arc<HostBuffers>,
    pub(crate) handles: Handles,
    pub(crate) limits: Limits,
    pub(crate) runtime: tokio::runtime::Handle,
    ongoing: Arc<Ongoing>,
    begun: bool,
    /// How many programs are compiled beside it.
    compiling: usize,
}

/// How many programs of a session are compiled beside its other requests. One more is compiled in its turn.
const COMPILING: usize = 8;

/// What a session does next.
#[derive(Debug)]
pub enum Turn {
    /// A request.
    Request(Incoming),
    /// The answer to one that was done beside others: a program was compiled, or not.
    Compiled(Reply, Result<Box<Loaded>, Status>),
}

/// A request, the duty to answer it, and why it is refused, if it is.
#[derive(Debug)]
pub struct Incoming {
    /// The request, or why it is not to be done.
    pub ask: Result<Ask, Refused>,
    /// The duty to answer it.
    pub reply: Reply,
    /// Its bytes, if it is large.
    pub charge: Option<Charge>,
    /// Where a compiled program goes; none if others wait for it.
    pub turns: Option<mpsc::Sender<Turn>>,
}

/// Why a request is not to be done. What it would have made stands for this error.
#[derive(Debug)]
pub struct Refused {
    why: Status,
    made: Vec<u64>,
}

impl Refused {
    /// A request that is refused, of which only the handles are kept.
    pub fn new(ask: &Ask, why: Status) -> Self {
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
        seat: &Seat,
        platform: Arc<Platform>,
        limits: Limits,
        runtime: tokio::runtime::Handle,
    ) -> Self {
        let ongoing = Arc::clone(&seat.ongoing);
        Self {
            id: seat.id,
            agreed: ongoing.agreed,
            platform,
            buffers: Arc::clone(&seat.buffers),
            handles: Handles::new(limits.handles, Arc::clone(&ongoing.account)),
            limits,
            runtime,
            ongoing,
            begun: false,
            compiling: 0,
        }
    }

    /// Does all requests in their order, but for compiling, until there are no more, or nobody waits for them.
    pub fn serve(mut self, turns: &mpsc::Receiver<Turn>, replies: &Replies) {
        while let Some(turn) = next(turns, replies) {
            if self.ongoing.is_gone() {
                return;
            }
            let (Turn::Request(Incoming { reply, .. }) | Turn::Compiled(reply, _)) = &turn;
            let name = reply.name();
            self.ongoing.begin(name);
            match turn {
                Turn::Request(incoming) => self.take(incoming),
                Turn::Compiled(reply, program) => {
                    self.compiling -= 1;
                    let compiled = program.and_then(|program| self.compiled(*program));
                    reply.send(compiled.map(Answer::Compile));
                }
            }
            self.ongoing.end(name, self.handles.len());
        }
    }

    /// Does one request, or refuses it.
    pub fn take(&mut self, incoming: Incoming) {
        let Incoming { ask, reply, charge, turns } = incoming;
        match (ask, turns) {
            (Ok(Ask::Compile(asked)), Some(turns)) if self.begun && self.compiling < COMPILING => {
                self.compile_beside(asked, (reply, charge), turns);
                return;
            }
            (Ok(ask), _) => self.handle(ask, reply),
            (Err(Refused { why, made }), _) => {
                made.iter().for_each(|handle| self.handles.poison(*handle, &why));
                reply.send(Err(why));
            }
        }
        drop(charge);
    }

    fn handle(&mut self, ask: Ask, reply: Reply) {
        if !self.begun && !matches!(ask, Ask::Init(_)) {
            let text = format!("a session begins with init_request, and not with {}", ask.name());
            return reply.send(Err(Status::new(Code::FailedPrecondition, text)));
        }
        let made = made_by(&ask);
        let result = match ask {
            Ask::CheckFuture(of) => return self.check_future(of.handle, reply),
            Ask::CheckValueReady(of) => return self.check_ready(&of.handles, reply),
            Ask::CopyToHost(asked) => return self.copy_to_host(&asked, reply),
            Ask::FetchExecuteResult(of) => return self.fetch_result(of.handle, reply),
            other => self.answer(other),
        };
        if let Err(status) = &result {
            made.iter().for_each(|handle| self.handles.poison(*handle, status));
        }
        reply.send(result);
    }

    /// Does a request that is answered at once.
    fn answer(&mut self, ask: Ask) -> Result<Answer, Status> {
        let name = ask.name();
        Ok(match ask {
            Ask::Init(_) => Answer::Init(self.init()?),
            Ask::MakeArray(asked) => Answer::MakeArray(self.make_array(&asked)?),
            Ask::MakeArraysFromShards(asked) => {
                Answer::MakeArraysFromShards(self.make_from_shards(&asked)?)
            }
            Ask::MakeErrorArrays(asked) => Answer::MakeErrorArrays(self.make_errors(&asked)?),
            Ask::Assemble(asked) => Answer::Assemble(self.assemble(&asked)?),
            Ask::Disassemble(asked) => Answer::Disassemble(self.disassemble(&asked)?),
            Ask::FullyReplicatedShard(asked) => Answer::FullyReplicatedShard(self.one_shard(asked)?),
            Ask::CopyArrays(asked) => Answer::CopyArrays(self.copy_arrays(&asked)?),
            Ask::Remap(asked) => Answer::Remap(self.remap(&asked)?),
            Ask::Bitcast(asked) => Answer::Bitcast(self.bitcast(&asked)?),
            Ask::Reshard(asked) => Answer::Reshard(self.reshard(&asked)?),
            Ask::OldReshard(asked) => Answer::OldReshard(self.old_reshard(&asked)?),
            Ask::DeleteArray(of) => Answer::DeleteArray(self.delete_arrays(of.all())?),
            Ask::IsArrayDeleted(of) => {
                Answer::IsArrayDeleted(Flag { is: self.is_deleted(of.handle)? })
            }
            Ask::DestructArray(of) => {
                of.all().for_each(|handle| _ = self.handles.remove(handle));
                Answer::DestructArray(Empty {})
            }
            Ask::Compile(asked) => Answer::Compile(self.compile(&asked)?),
            Ask::ExecutableMetadata(of) => Answer::ExecutableMetadata(self.metadata(of.handle)?),
            Ask::CostAnalysis(of) => Answer::CostAnalysis(self.cost_analysis(of.handle)?),
            Ask::ProgramText(of) => Answer::ProgramText(self.program_text(of.handle)?),
            Ask::Execute(asked) => Answer::Execute(self.execute(&asked)?),
            Ask::DeleteExecutable(of) => Answer::DeleteExecutable(self.delete_program(of.handle)?),
            Ask::IsExecutableDeleted(of) => {
                let program = self.handles.program(of.handle)?;
                Answer::IsExecutableDeleted(Flag { is: program.executable.is_deleted()? })
            }
            Ask::DestructExecutable(of) => {
                self.handles.remove(of.handle);
                Answer::DestructExecutable(Empty {})
            }
            Ask::DefaultDeviceAssignment(asked) => {
                Answer::DefaultDeviceAssignment(self.default_assignment(asked)?)
            }
            Ask::DefaultLayout(asked) => Answer::DefaultLayout(self.default_layout(&asked)?),
            Ask::PollHostCallback(_)
            | Ask::ReturnHostCallback(_)
            | Ask::MpmdMetadata(_)
            | Ask::MpmdCostAnalysis(_)
            // These four are answered by `handle`.
            | Ask::CheckFuture(_)
            | Ask::CheckValueReady(_)
            | Ask::CopyToHost(_)
            | Ask::FetchExecuteResult(_) => {
                return Err(Status::unimplemented(format!("this request is not served: {name}")));
            }
        })
    }
}

/// The next turn; while none comes, responses that waited for others are sent.
fn next(turns: &mpsc::Receiver<Turn>, replies: &Replies) -> Option<Turn> {
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
fn made_by(ask: &Ask) -> Vec<u64> {
    match ask {
        Ask::MakeArray(asked) => asked.array.into_iter().collect(),
        Ask::MakeArraysFromShards(asked) => asked.arrays.clone(),
        Ask::MakeErrorArrays(asked) => asked.arrays.clone(),
        Ask::Assemble(asked) => vec![asked.result],
        Ask::FullyReplicatedShard(asked) => vec![asked.result],
        Ask::Disassemble(asked) => asked.results.clone(),
        Ask::CopyArrays(asked) => asked.results.clone(),
        Ask::Remap(asked) => asked.results.clone(),
        Ask::Reshard(asked) | Ask::Bitcast(asked) => asked.results.clone(),
        Ask::Execute(asked) => {
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

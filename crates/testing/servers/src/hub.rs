//! A server that speaks the API of the Hugging Face hub, as far as it is read.

use std::path::Path;

use crate::ServerError;
use crate::python::PythonServer;

/// The environment in the corpus; MLflow serves with the same libraries.
const ENVIRONMENT: &str = "mlflow-3.17.2";

/// Serves `FOLDER/ORG/NAME/commits/SHA/FILES`, with the commit of a revision in `FOLDER/ORG/NAME/REVISION`. Lists come
/// in pages of two. Files of 100 bytes and more are sent from another host, as the hub does, which wants no token.
const PROGRAM: &str = "
import hashlib, os, pathlib, uvicorn
from starlette.applications import Starlette
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

ROOT = pathlib.Path(os.environ['HUB_FOLDER'])
TOKEN = os.environ.get('HUB_TOKEN')

def refused(status, code):
    return Response(status_code=status, headers={'X-Error-Code': code})

def repository(request):
    if TOKEN and request.headers.get('authorization') != f'Bearer {TOKEN}':
        return None
    folder = ROOT / request.path_params['org'] / request.path_params['name']
    return folder if folder.is_dir() else None

def commit(folder, revision):
    if (folder / 'commits' / revision).is_dir():
        return revision
    named = folder / revision
    return named.read_text().strip() if named.is_file() else None

def revision(request):
    folder = repository(request)
    if folder is None:
        return refused(401, 'RepoNotFound')
    sha = commit(folder, request.path_params['revision'])
    if sha is None:
        return refused(404, 'RevisionNotFound')
    return JSONResponse({'id': folder.name, 'sha': sha, 'lastModified': '2024-05-06T07:08:09.000Z'})

def tree(request):
    folder = repository(request)
    if folder is None:
        return refused(401, 'RepoNotFound')
    root = folder / 'commits' / request.path_params['revision']
    found = []
    for path in sorted(root.rglob('*')):
        name = path.relative_to(root).as_posix()
        if path.is_dir():
            found.append({'type': 'directory', 'oid': '0', 'size': 0, 'path': name})
        else:
            oid = hashlib.sha1(path.read_bytes()).hexdigest()
            found.append({'type': 'file', 'oid': oid, 'size': path.stat().st_size, 'path': name})
    at = int(request.query_params.get('cursor', 0))
    headers = {}
    if at + 2 < len(found):
        url = request.url.include_query_params(cursor=at + 2)
        headers['Link'] = f'<{url}>; rel=\"next\"'
    return JSONResponse(found[at:at + 2], headers=headers)

def file(request):
    folder = repository(request)
    if folder is None:
        return refused(401, 'RepoNotFound')
    below = pathlib.PurePosixPath(request.path_params['sha'], request.path_params['path'])
    path = folder / 'commits' / below
    if not path.is_file():
        return refused(404, 'EntryNotFound')
    if path.stat().st_size < 100:
        return FileResponse(path)
    place = path.relative_to(ROOT).as_posix()
    return RedirectResponse(f'http://localhost:{request.url.port}/cdn/{place}', status_code=302)

def cdn(request):
    if 'authorization' in request.headers:
        return Response('two ways to say who asks', status_code=400)
    return FileResponse(ROOT / request.path_params['path'])

app = Starlette(routes=[
    Route('/api/models/{org}/{name}/revision/{revision}', revision),
    Route('/api/models/{org}/{name}/tree/{revision}', tree),
    Route('/{org}/{name}/resolve/{sha}/{path:path}', file),
    Route('/cdn/{path:path}', cdn),
])
uvicorn.run(app, host='127.0.0.1', port=0, access_log=False)
";

/// The API of the hub over a folder, on a port of the loopback.
pub struct HubServer(PythonServer);

impl HubServer {
    /// Whether tests are to start one; if not, says that the test is skipped.
    #[must_use]
    pub fn there() -> bool {
        unskew_peers::there(ENVIRONMENT)
    }

    /// Starts one for `folder/ORG/NAME/commits/SHA/FILES`, with the commit of a revision in `folder/ORG/NAME/REVISION`.
    /// With a token, nothing is there for those without it.
    ///
    /// # Errors
    /// If its environment is not there, or it does not start.
    pub fn start(folder: &Path, token: Option<&str>) -> Result<Self, ServerError> {
        let mut settings = vec![("HUB_FOLDER", folder.display().to_string())];
        settings.extend(token.map(|token| ("HUB_TOKEN", token.to_owned())));
        Ok(Self(PythonServer::start(ENVIRONMENT, PROGRAM, &settings)?))
    }

    /// Where it listens: `http://127.0.0.1:PORT`, for `HF_ENDPOINT`.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.0.address)
    }
}

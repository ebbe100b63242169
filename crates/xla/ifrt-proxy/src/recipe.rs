//! Recipe for the connection of a release of JAX.

use unskew_core::Version;

/// Why there is no recipe.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecipeError {
    /// What was given is no release.
    #[error("not a release of JAX, such as jax@0.6.2: {0}")]
    NoRelease(String),
    /// A release whose client speaks no protocol that is spoken here.
    #[error("the server speaks to JAX since 0.4.31: {0}")]
    TooOld(Version),
}

/// Variables by which glibc keeps memory that was freed, for the next array. A client takes memory for several copies of
/// each array that it fetches; when it comes from the system each time, the system clearing it takes most of the time.
const KEPT: &str = "MALLOC_ARENA_MAX=1 MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=2147483647";

/// How a release of JAX, such as `jax@0.6.2`, connects to a server on this port: first variables for its
/// environment in the shell, in lines that begin with `export`, then Python.
///
/// # Errors
/// If it is no release, or one before 0.4.31.
pub fn recipe(client: &str, port: u16) -> Result<String, RecipeError> {
    let version = client.strip_prefix("jax@").unwrap_or(client);
    let Ok(version) = version.parse::<Version>() else {
        return Err(RecipeError::NoRelease(client.to_owned()));
    };
    let parts = version.parts();
    if parts < &[0, 4, 31][..] {
        return Err(RecipeError::TooOld(version));
    }
    let module = if parts >= &[0, 7, 1][..] {
        "from jax.extend.backend import ifrt_proxy"
    } else if parts >= &[0, 6, 1][..] {
        "from jaxlib._jax import ifrt_proxy"
    } else {
        "from jaxlib.xla_extension import ifrt_proxy"
    };
    // jaxlib from 2025-05-23 on asks for the one variable, older ones for the other.
    let variable = if parts >= &[0, 6, 1][..] {
        "IFRT_PROXY_USE_INSECURE_GRPC_CREDENTIALS=true"
    } else {
        "TEST_UNDECLARED_OUTPUTS_DIR=x"
    };
    Ok(format!(
        "\
# In the environment of the client:
export {variable}
# Large arrays are fetched several times as fast if freed memory is kept for the next (glibc only):
export {KEPT}

# Before JAX is first used (`unskew_jax.connect(\"grpc://127.0.0.1:{port}\")` does all of this for any JAX):
import jax
{module}
from jax._src import xla_bridge
xla_bridge.register_backend_factory(
    \"proxy\",
    lambda: ifrt_proxy.get_client(\"grpc://127.0.0.1:{port}\", ifrt_proxy.ClientConnectionOptions()),
    priority=500,
)
jax.config.update(\"jax_platforms\", \"proxy\")
"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_age_of_jax_has_its_own_recipe() {
        let of = |client| recipe(client, 8470).unwrap();
        assert!(of("jax@0.10.2").contains("jax.extend.backend"));
        assert!(of("jax@0.6.2").contains("jaxlib._jax"));
        assert!(of("jax@0.6.0").contains("jaxlib.xla_extension"));
        assert!(of("jax@0.6.2").contains("IFRT_PROXY_USE_INSECURE"));
        assert!(of("jax@0.5.3").contains("TEST_UNDECLARED_OUTPUTS_DIR"));
        assert!(of("jax@0.10.2").contains("\nexport MALLOC_"));
        assert!(of("0.4.31").contains("jaxlib.xla_extension"));
        assert!(recipe("jax@0.4.30", 1).is_err());
        assert!(recipe("torch@2.1", 1).is_err());
    }
}

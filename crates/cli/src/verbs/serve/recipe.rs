//! How a release of JAX connects.

use anyhow::bail;
use unskew_core::Version;

/// How a release of JAX connects.
pub fn recipe(client: &str, port: u16) -> anyhow::Result<String> {
    let version = client.strip_prefix("jax@").unwrap_or(client);
    let Ok(version) = version.parse::<Version>() else {
        bail!("not a release of JAX, such as jax@0.6.2: {client}");
    };
    let parts = version.parts();
    if parts < &[0, 4, 31][..] {
        bail!("the server speaks to JAX since 0.4.31: {version}");
    }
    let module = if parts >= &[0, 7, 1][..] {
        "from jax.extend.backend import ifrt_proxy"
    } else if parts >= &[0, 6][..] {
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
        assert!(of("jax@0.6.2").contains("IFRT_PROXY_USE_INSECURE"));
        assert!(of("jax@0.5.3").contains("TEST_UNDECLARED_OUTPUTS_DIR"));
        assert!(of("0.4.31").contains("jaxlib.xla_extension"));
        assert!(recipe("jax@0.4.30", 1).is_err());
        assert!(recipe("torch@2.1", 1).is_err());
    }
}

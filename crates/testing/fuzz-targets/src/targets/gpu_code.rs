//! Code for GPUs in shared objects.

use crate::source;

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    if let Ok(Some(code)) = unskew_cuda::GpuCode::read(&source("f.so", bytes)) {
        for gpu in ["sm_60", "sm_87", "sm_90", "sm_120"] {
            let gpu = gpu.parse().expect("an architecture");
            let fit = code.fit(gpu);
            let counted = fit.by_cubin + fit.by_ptx + fit.without + fit.of_other_devices;
            assert_eq!(counted, code.count());
        }
    }
}

//! Whether the code of a package runs on the GPUs of a machine, under its driver.

use unskew_core::{
    Context, Finding, Judgement, Matcher, Party, Places, Severity, Unjudged, Version, aspect,
};
use unskew_cuda::{ComputeCapability, DriverVersion, Toolkit};

use super::object_fits::ObjectFits;
use super::releases::TORCH;
use super::{GpuHost, PackageGpuCode, fixes};
use crate::InstalledPackage;
use crate::rules::{
    CompiledByDriver, DriverOlderThanCuda, DriverOlderThanGpu, NoCodeForGpu, PtxNewerThanDriver,
};

/// What CUDA says when a kernel is started for which there is no code.
const NO_KERNEL: &str = "CUDA error: no kernel image is available for execution on the device";

/// What it says when the driver does not know the version of PTX, and when it is too old for the runtime.
const PTX_TOO_NEW: &str =
    "CUDA error: the provided PTX was compiled with an unsupported toolchain.";
const DRIVER_TOO_OLD: &str = "CUDA driver version is insufficient for CUDA runtime version";

/// The share of fat binaries, in percent, that hold the code which a finding names. What fewer hold is for special kernels.
const COMMON: usize = 5;

/// A package with its code.
pub(super) struct GpuMatcher {
    pub(super) package: InstalledPackage,
    pub(super) code: PackageGpuCode,
    /// The version of CUDA that it was built for, or is.
    pub(super) built: Option<Version>,
}

impl Matcher for GpuMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let host = other.capability::<GpuHost>()?;
        let mut judgement = Judgement::default();
        judgement.findings.extend(self.driver(host));
        for gpu in &host.gpus {
            if !self.code.tells_of(*gpu) {
                let reason = format!("code for {gpu} of a build of which no facts are kept");
                judgement.unjudged.push(Unjudged::new(aspect::KERNELS, reason));
                continue;
            }
            let fits = ObjectFits::new(&self.package.key(), &self.code.objects, *gpu);
            judgement.findings.extend(self.no_code(*gpu, &fits));
            self.compiled(*gpu, &fits, host, &mut judgement);
            if !fits.partly.is_empty() {
                let reason = format!(
                    "kernels that have no code for {gpu} beside others that have; they may be for other GPUs"
                );
                let places = fits.partly.iter().collect();
                judgement.unjudged.push(Unjudged::new(aspect::KERNELS, reason).at(places));
            }
        }
        self.unjudged(host, &mut judgement);
        Some(judgement)
    }
}

impl GpuMatcher {
    /// What is to be said of the driver and the version of CUDA.
    fn driver(&self, host: &GpuHost) -> Option<Finding> {
        let (driver, cuda) = (host.driver.as_ref()?, self.built?);
        let least = Toolkit::least_driver(cuda)?;
        let package = self.package.label();
        let project = &self.package.name;
        let finding =
            DriverOlderThanCuda { package: &package, project, cuda: &cuda, least, driver };
        driver.is_older_than(least).then(|| finding.finding().with_symptom(DRIVER_TOO_OLD))
    }

    fn no_code(&self, gpu: ComputeCapability, fits: &ObjectFits) -> Option<Finding> {
        if fits.without.is_empty() {
            return None;
        }
        let has: Vec<String> = fits.code.held_by(COMMON).iter().map(ToString::to_string).collect();
        let (package, fix) = (self.package.label(), fixes::fix(&self.package, gpu, fits.fails));
        let finding = NoCodeForGpu {
            package: &package,
            gpu: &gpu,
            without: &fits.without.len(),
            total: &fits.total,
            has: &has.join(", "),
            fix: &fix,
        };
        let severity = if fits.fails { Severity::Error } else { Severity::Warning };
        let places: Places = fits.without.iter().collect();
        Some(finding.finding().with_severity(severity).with_symptom(NO_KERNEL).at(places))
    }

    /// What is to be said of objects whose code the driver has to compile.
    fn compiled(
        &self,
        gpu: ComputeCapability,
        fits: &ObjectFits,
        host: &GpuHost,
        judgement: &mut Judgement,
    ) {
        let (package, project, total) = (self.package.label(), &self.package.name, fits.total);
        let Some(isa) = fits.ptx_isa else { return };
        let toolkit = Toolkit::for_ptx(isa);
        // Of PTX that is newer than the table it is known that no driver of the table reads it.
        let Some(Toolkit { version: cuda, driver: least, .. }) = toolkit.or_else(Toolkit::newest)
        else {
            return;
        };
        let places: Places = fits.compiled.iter().collect();
        let count = fits.compiled.len();
        let too_old = host.driver.as_ref().filter(|driver| driver.is_older_than(least));
        if let Some(driver) = too_old {
            let finding = PtxNewerThanDriver {
                package: &package,
                project,
                gpu: &gpu,
                isa: &isa,
                cuda,
                driver,
                least,
            };
            let severity = if count == total { Severity::Error } else { Severity::Warning };
            let finding = finding.finding().with_severity(severity).with_symptom(PTX_TOO_NEW);
            judgement.findings.push(finding.at(places));
            return;
        }
        let finding = CompiledByDriver {
            package: &package,
            project,
            gpu: &gpu,
            count: &count,
            total: &total,
            least,
        };
        judgement.findings.push(finding.finding().at(places));
        if toolkit.is_none() {
            let reason = format!("which drivers compile PTX {isa}");
            judgement.unjudged.push(Unjudged::new(aspect::VERSION, reason));
        }
    }

    fn unjudged(&self, host: &GpuHost, judgement: &mut Judgement) {
        if host.gpus.is_empty() {
            return;
        }
        let PackageGpuCode { other_cuda, problems, by_name, release, .. } = &self.code;
        let mut say = |reason: &str, places: &[String]| {
            if !places.is_empty() {
                let one = Unjudged::new(aspect::KERNELS, reason).at(places.iter().collect());
                judgement.unjudged.push(one);
            }
        };
        say("which of these libraries is loaded: each is for one version of CUDA", other_cuda);
        say("code for GPUs in libraries of which only the names were kept", by_name);
        say("code for GPUs that cannot be read", problems);
        // Where nothing is said of a GPU, nothing is judged by it.
        if let Some(release) =
            release.as_ref().filter(|_| host.gpus.iter().any(|gpu| self.code.tells_of(*gpu)))
        {
            let reason = match self.code.built {
                None => format!("judged by {release}"),
                Some(cuda) => {
                    format!("judged by {release}: CUDA {cuda} compiles nothing for such GPUs")
                }
            };
            judgement.unjudged.push(Unjudged::new(aspect::VERSION, reason));
        }
        if self.code.is_nothing() && self.package.key() == TORCH {
            let reason = "code for GPUs of a build of which no facts are kept";
            judgement.unjudged.push(Unjudged::new(aspect::KERNELS, reason));
        }
    }
}

/// A driver, held against the GPUs of its machine.
pub(super) struct NewerGpu {
    pub(super) driver: DriverVersion,
}

impl Matcher for NewerGpu {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let mut judgement = Judgement::default();
        for gpu in &other.capability::<GpuHost>()?.gpus {
            let Some(toolkit) = Toolkit::for_gpu(*gpu) else { continue };
            let (driver, least) = (&self.driver, &toolkit.driver);
            if driver.is_older_than(least) {
                let finding = DriverOlderThanGpu { gpu, driver, least, cuda: &toolkit.version };
                judgement.findings.push(finding.finding());
            }
        }
        Some(judgement)
    }
}

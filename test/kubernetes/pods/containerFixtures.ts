import type { ContainerFacts } from "../../../src/kubernetes/pods/containers/containers.ts"
import type { ContainerLife, PodLife } from "../../../src/kubernetes/pods/podLife.ts"

/** The facts of containers as their actors know them, with defaults for what a test does not need. */

export const someFacts = (
  doing: ContainerFacts["doing"],
  more: Partial<ContainerFacts> = {}
): ContainerFacts => ({
  name: "app",
  role: "app",
  doing,
  ready: false,
  started: doing === "running",
  restartCount: 0,
  lastExit: undefined,
  crashes: 0,
  pullError: undefined,
  ...more
})

export const anInit = (doing: ContainerFacts["doing"], more: Partial<ContainerFacts> = {}): ContainerFacts =>
  someFacts(doing, { name: "setup", role: "init", ...more })

export const aSidecar = (
  doing: ContainerFacts["doing"],
  more: Partial<ContainerFacts> = {}
): ContainerFacts => someFacts(doing, { name: "side", role: "sidecar", ...more })

export const withCode = (code: number): Pick<ContainerFacts, "lastExit"> => ({
  lastExit: { code, reason: code === 0 ? "Completed" : "Error" }
})

export const someLife = (life: Partial<ContainerLife> = {}): ContainerLife => ({
  pullMillis: 0,
  pullFailures: 0,
  pullError: "manifest unknown",
  startMillis: 0,
  readyMillis: 0,
  exit: undefined,
  flap: undefined,
  hangMillis: undefined,
  ...life
})

export const somePodLife = (life: Partial<ContainerLife> = {}, more: Partial<PodLife> = {}): PodLife => ({
  mover: "kubelet",
  scheduleMillis: 0,
  containers: {},
  otherContainers: someLife(life),
  terminateMillis: 700,
  ...more
})

import { describe, expect, it } from "vitest"
import {
  hasInitFailed,
  isPodInitialized,
  allowsNextContainer,
  nextContainer,
  podPhaseOf
} from "../../../src/kubernetes/pods/podPhase.ts"
import { aPod } from "../../builders.ts"
import { anInit, aSidecar, someFacts, withCode } from "./containerFixtures.ts"
import type { PodSpec } from "../../../src/kubernetes/meta/objects.ts"
import type { PodEnding } from "../../../src/kubernetes/pods/podLife.ts"
import type { ContainerFacts } from "../../../src/kubernetes/pods/containers/containers.ts"

interface Row {
  readonly why: string
  readonly policy?: string
  readonly spec?: PodSpec
  readonly ending?: PodEnding
  readonly containers: ReadonlyArray<ContainerFacts>
  readonly phase: string
}

const own = (name: string, restartPolicy: string) => ({ name, restartPolicy })
const running = someFacts("running")
const queued = someFacts("queued")
const succeeded = someFacts("terminated", withCode(0))
const failedOnce = someFacts("terminated", withCode(1))
const otherName = { name: "other" }
const initDone = anInit("terminated", withCode(0))
const initFailed = anInit("terminated", withCode(1))

describe("the phase of a Pod", () => {
  it.each<Row>([
    { why: "its deadline passed", ending: "overdue", containers: [succeeded], phase: "Failed" },
    {
      why: "its deadline passed, one container still runs",
      ending: "overdue",
      containers: [succeeded, { ...running, ...otherName }],
      phase: "Running"
    },
    { why: "deleted after it succeeded", ending: "deleted", containers: [succeeded], phase: "Succeeded" },
    { why: "deleted after it failed", ending: "deleted", containers: [failedOnce], phase: "Failed" },
    { why: "deleted while it runs", ending: "deleted", containers: [running], phase: "Running" },
    {
      why: "deleted while one container still runs",
      ending: "deleted",
      containers: [succeeded, { ...running, ...otherName }],
      phase: "Running"
    },
    {
      why: "deleted while it waits for its back-off",
      ending: "deleted",
      containers: [someFacts("crashBackOff", withCode(0))],
      phase: "Failed"
    },
    {
      why: "deleted before its container was started",
      ending: "deleted",
      containers: [initDone, queued],
      phase: "Failed"
    },
    {
      why: "an init container failed and does not restart",
      policy: "Never",
      containers: [initDone, { ...initFailed, ...otherName }, queued],
      phase: "Failed"
    },
    {
      why: "an init container failed and restarts",
      containers: [initFailed, queued],
      phase: "Pending"
    },
    {
      why: "an init container runs",
      policy: "Never",
      containers: [anInit("running"), queued],
      phase: "Pending"
    },
    {
      why: "the init containers succeeded",
      policy: "Never",
      containers: [initDone, someFacts("creating")],
      phase: "Pending"
    },
    {
      why: "the exit code of a sidecar does not matter",
      policy: "Never",
      containers: [aSidecar("terminated", withCode(137)), succeeded],
      phase: "Succeeded"
    },
    {
      why: "a sidecar still runs",
      policy: "Never",
      containers: [aSidecar("running"), succeeded],
      phase: "Running"
    },
    {
      why: "one container succeeded, the other is still created",
      policy: "Never",
      containers: [succeeded, someFacts("creating", otherName)],
      phase: "Pending"
    },
    {
      why: "its container succeeded and does not restart, by its own policy",
      spec: { containers: [own("app", "OnFailure")] },
      containers: [succeeded],
      phase: "Succeeded"
    },
    {
      why: "one container failed and does not restart, the other does",
      spec: { containers: [own("app", "Never"), own("other", "Always")] },
      containers: [failedOnce, { ...failedOnce, ...otherName }],
      phase: "Running"
    },
    {
      why: "all containers have ended, one of them badly",
      spec: { containers: [own("app", "Never"), own("other", "OnFailure")] },
      containers: [failedOnce, { ...succeeded, ...otherName }],
      phase: "Failed"
    },
    {
      why: "its container failed and restarts, by its own policy",
      policy: "Never",
      spec: { containers: [own("app", "OnFailure")] },
      containers: [failedOnce],
      phase: "Running"
    },
    {
      why: "an init container failed and does not restart, by its own policy",
      spec: { containers: [], initContainers: [own("setup", "Never")] },
      containers: [initFailed, queued],
      phase: "Failed"
    },
    {
      why: "an init container failed and restarts, by its own policy",
      policy: "Never",
      spec: { containers: [], initContainers: [own("setup", "OnFailure")] },
      containers: [initFailed, queued],
      phase: "Pending"
    }
  ])("is $phase: $why", ({ policy = "Always", spec, ending, containers, phase }) => {
    const pod = aPod({ phase: "Pending", spec: { restartPolicy: policy, ...spec } })
    expect(podPhaseOf(pod, containers, ending)).toBe(phase)
  })
})

describe("the failure of an init container", () => {
  it.each([
    { policy: "Never", containers: [initFailed, queued], failed: true, why: "it does not restart" },
    { policy: "OnFailure", containers: [initFailed, queued], failed: false, why: "it restarts" },
    { policy: "Never", containers: [initDone, queued], failed: false, why: "it succeeded" },
    { policy: "Never", containers: [anInit("running"), queued], failed: false, why: "it runs" },
    { policy: "Never", containers: [failedOnce], failed: false, why: "there is no init container" }
  ])("fails the Pod: $failed: $why", ({ policy, containers, failed }) => {
    expect(hasInitFailed(containers, { containers: [], restartPolicy: policy })).toBe(failed)
  })
})

describe("an init container", () => {
  it.each([
    { facts: aSidecar("running", { started: true }), isPassed: true, why: "the sidecar has started" },
    {
      facts: aSidecar("running", { started: false }),
      isPassed: false,
      why: "its startup probe has not succeeded"
    },
    { facts: aSidecar("terminated", withCode(0)), isPassed: false, why: "a sidecar must run" },
    { facts: initDone, isPassed: true, why: "it succeeded" },
    { facts: initFailed, isPassed: false, why: "it failed" },
    { facts: anInit("running", { started: true }), isPassed: false, why: "it runs" },
    { facts: anInit("running", withCode(0)), isPassed: false, why: "it runs again" }
  ])("lets the next one start: $isPassed: $why", ({ facts, isPassed }) => {
    expect(allowsNextContainer(facts)).toBe(isPassed)
  })

  it.each([
    { containers: [running], may: true, why: "there is no init container" },
    { containers: [queued], may: true, why: "there is no init container and the apps are queued" },
    { containers: [initDone, queued], may: true, why: "all succeeded" },
    { containers: [anInit("running"), queued], may: false, why: "one runs" },
    { containers: [initDone, anInit("queued", otherName), queued], may: false, why: "one is queued" },
    { containers: [initDone, aSidecar("creating"), queued], may: false, why: "the sidecar is created" },
    {
      containers: [aSidecar("crashBackOff"), running],
      may: true,
      why: "the apps run although the sidecar crashed"
    },
    { containers: [aSidecar("running"), queued], may: true, why: "the sidecar has started" },
    {
      containers: [aSidecar("crashBackOff"), initDone, queued],
      may: true,
      why: "the last one succeeded, the sidecar crashed"
    }
  ])("lets the app containers start: $may: $why", ({ containers, may }) => {
    expect(isPodInitialized(containers)).toBe(may)
  })

  it.each([
    { containers: [running], next: undefined, why: "all have been started" },
    { containers: [queued], next: "app", why: "the first" },
    {
      containers: [failedOnce, { ...queued, ...otherName }],
      next: "other",
      why: "whatever the one before does"
    },
    { containers: [anInit("queued"), queued], next: "setup", why: "an init container is first" },
    { containers: [initDone, queued], next: "app", why: "the init container succeeded" },
    { containers: [anInit("running"), queued], next: undefined, why: "the init container runs" },
    {
      containers: [initFailed, anInit("queued", otherName), queued],
      next: undefined,
      why: "an init container failed"
    },
    {
      containers: [aSidecar("crashBackOff"), running, { ...queued, ...otherName }],
      next: "other",
      why: "apps go on although the sidecar crashed"
    },
    {
      containers: [aSidecar("crashBackOff"), someFacts("pullBackOff"), { ...queued, ...otherName }],
      next: undefined,
      why: "the sidecar crashed before an app has run"
    }
  ])("names the next one to start, $next: $why", ({ containers, next }) => {
    expect(nextContainer(containers)?.name).toBe(next)
  })
})

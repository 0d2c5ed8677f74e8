import { describe, expect, it } from "vitest"
import {
  hasInitFailed,
  isPodInitialized,
  allowsNextContainer,
  podPhaseOf
} from "../../../src/kubernetes/pods/podPhase.ts"
import { aPod } from "../../builders.ts"
import { anInit, aSidecar, someFacts, withCode } from "../someContainers.ts"
import type { PodEnding } from "../../../src/kubernetes/pods/podLife.ts"
import type { ContainerFacts } from "../../../src/kubernetes/pods/containers/containers.ts"

interface Row {
  readonly why: string
  readonly policy?: string
  readonly ending?: PodEnding
  readonly containers: ReadonlyArray<ContainerFacts>
  readonly phase: string
}

const running = someFacts("running")
const queued = someFacts("queued")
const well = someFacts("terminated", withCode(0))
const badly = someFacts("terminated", withCode(1))
const another = { name: "other" }
const initDone = anInit("terminated", withCode(0))
const initFailed = anInit("terminated", withCode(1))

describe("the phase of a Pod", () => {
  it.each<Row>([
    { why: "it was there for too long", ending: "overdue", containers: [well], phase: "Failed" },
    {
      why: "it was there for too long, and not all of it has stopped",
      ending: "overdue",
      containers: [well, { ...running, ...another }],
      phase: "Running"
    },
    { why: "told to go, it ended well", ending: "deleted", containers: [well], phase: "Succeeded" },
    { why: "told to go, it ended badly", ending: "deleted", containers: [badly], phase: "Failed" },
    { why: "told to go, it still runs", ending: "deleted", containers: [running], phase: "Running" },
    {
      why: "told to go, one of it still runs",
      ending: "deleted",
      containers: [well, { ...running, ...another }],
      phase: "Running"
    },
    {
      why: "told to go while it waited to be begun again: it has not ended",
      ending: "deleted",
      containers: [someFacts("crashBackOff", withCode(0))],
      phase: "Failed"
    },
    {
      why: "told to go before its turn came",
      ending: "deleted",
      containers: [initDone, queued],
      phase: "Failed"
    },
    {
      why: "one for init has failed, and is not begun again",
      policy: "Never",
      containers: [initDone, { ...initFailed, ...another }, queued],
      phase: "Failed"
    },
    {
      why: "one for init has failed, and is begun again",
      containers: [initFailed, queued],
      phase: "Pending"
    },
    {
      why: "one for init is at work",
      policy: "Never",
      containers: [anInit("running"), queued],
      phase: "Pending"
    },
    {
      why: "those for init have done their work",
      policy: "Never",
      containers: [initDone, someFacts("creating")],
      phase: "Pending"
    },
    {
      why: "how a sidecar ended is not asked",
      policy: "Never",
      containers: [aSidecar("terminated", withCode(137)), well],
      phase: "Succeeded"
    },
    {
      why: "a sidecar is to stop yet",
      policy: "Never",
      containers: [aSidecar("running"), well],
      phase: "Running"
    },
    {
      why: "one of two has done its work, the other is to come",
      policy: "Never",
      containers: [well, someFacts("creating", another)],
      phase: "Pending"
    }
  ])("$phase: $why", ({ policy = "Always", ending, containers, phase }) => {
    const pod = aPod({ phase: "Pending", spec: { restartPolicy: policy } })
    expect(podPhaseOf(pod, containers, ending)).toBe(phase)
  })
})

describe("a Pod has failed with one for init", () => {
  it.each([
    { policy: "Never", containers: [initFailed, queued], failed: true, why: "nobody begins it again" },
    { policy: "OnFailure", containers: [initFailed, queued], failed: false, why: "it is begun again" },
    { policy: "Never", containers: [initDone, queued], failed: false, why: "it went well" },
    { policy: "Never", containers: [anInit("running"), queued], failed: false, why: "it is at work" },
    { policy: "Never", containers: [badly], failed: false, why: "there is none" }
  ])("$failed: $why", ({ policy, containers, failed }) => {
    expect(hasInitFailed(containers, policy)).toBe(failed)
  })
})

describe("what comes after one for init may begin", () => {
  it.each([
    { facts: aSidecar("running", { started: true }), through: true, why: "the sidecar has started" },
    { facts: aSidecar("running", { started: false }), through: false, why: "its startup probe says no" },
    { facts: aSidecar("terminated", withCode(0)), through: false, why: "a sidecar is to go on" },
    { facts: initDone, through: true, why: "its work is done" },
    { facts: initFailed, through: false, why: "its work is not done" },
    { facts: anInit("running", { started: true }), through: false, why: "it is at work" },
    { facts: anInit("running", withCode(0)), through: false, why: "it is at work once more" }
  ])("$through: $why", ({ facts, through }) => {
    expect(allowsNextContainer(facts)).toBe(through)
  })

  it.each([
    { containers: [running], may: true, why: "there is none" },
    { containers: [queued], may: true, why: "there is none, and they are to begin" },
    { containers: [initDone, queued], may: true, why: "all is done" },
    { containers: [anInit("running"), queued], may: false, why: "one is at work" },
    { containers: [initDone, anInit("queued", another), queued], may: false, why: "one is to come" },
    { containers: [initDone, aSidecar("creating"), queued], may: false, why: "the sidecar is to start" },
    { containers: [aSidecar("crashBackOff"), running], may: true, why: "they have, and the sidecar crashed" },
    { containers: [aSidecar("running"), queued], may: true, why: "the sidecar has started" },
    { containers: [aSidecar("crashBackOff"), initDone, queued], may: true, why: "the last one lets them" }
  ])("so may the apps: $may: $why", ({ containers, may }) => {
    expect(isPodInitialized(containers)).toBe(may)
  })
})

import { describe, expect, it } from "vitest"
import {
  deletionGraceMillis,
  specGraceMillis,
  planSigtermTimes,
  planContainerStops
} from "../../../src/kubernetes/pods/podStopping.ts"
import { aPod } from "../../builders.ts"
import { anInit, aSidecar, someFacts, somePodLife } from "./containerFixtures.ts"
import type { ContainerFacts } from "../../../src/kubernetes/pods/containers/containers.ts"
import type { Pod } from "../../../src/kubernetes/meta/objects.ts"

const sleeping = (seconds: number) => ({ lifecycle: { preStop: { sleep: { seconds } } } })

const pod = aPod({
  spec: {
    containers: [
      { name: "app", image: "web:v1" },
      { name: "slow", image: "web:v1", ...sleeping(5) }
    ],
    initContainers: [
      { name: "setup", image: "web:v1" },
      { name: "side", image: "log:v1", restartPolicy: "Always" },
      { name: "tail", image: "log:v1", restartPolicy: "Always" }
    ]
  }
})

/** `app 4000` for an application that needs 4 s to stop. */
const stopsOf = (containers: ReadonlyArray<ContainerFacts>, graceSeconds = 30): ReadonlyArray<string> =>
  [
    ...planContainerStops({
      pod,
      life: somePodLife({}, { terminateMillis: 4_000 }),
      containers,
      graceMillis: graceSeconds * 1000
    })
  ].map(([name, { withinMillis, isKilled }]) => `${name} ${withinMillis}${isKilled ? " killed" : ""}`)

const running = (name: string) => someFacts("running", { name })

describe("the order in which containers of a deleted Pod stop", () => {
  it.each([
    {
      why: "app containers at once",
      containers: [running("app"), running("slow")],
      stops: ["slow 9000", "app 4000"]
    },
    { why: "a lone sidecar at once", containers: [aSidecar("running")], stops: ["side 4000"] },
    {
      why: "a sidecar after the app container",
      containers: [aSidecar("running"), running("app")],
      stops: ["app 4000", "side 8000"]
    },
    {
      why: "a sidecar after the slowest app container",
      containers: [aSidecar("running"), running("app"), running("slow")],
      stops: ["slow 9000", "app 4000", "side 13000"]
    },
    {
      why: "sidecars one by one, the last first",
      containers: [aSidecar("running"), aSidecar("running", { name: "tail" }), running("app")],
      stops: ["app 4000", "tail 8000", "side 12000"]
    },
    {
      why: "no wait for a container that does not run",
      containers: [anInit("terminated"), aSidecar("running"), someFacts("crashBackOff")],
      stops: ["side 4000"]
    }
  ])("is $stops: $why", ({ containers, stops }) => {
    expect(stopsOf(containers)).toEqual(stops)
  })

  it("shares one grace period", () => {
    expect(stopsOf([aSidecar("running"), running("app")], 6)).toEqual(["app 4000", "side 6000 killed"])
  })
})

describe("the SIGTERM of containers in a deleted Pod", () => {
  const all = [aSidecar("running"), aSidecar("running", { name: "tail" }), running("app"), running("slow")]
  it.each([
    {
      graceSeconds: 30,
      signals: { app: 0, slow: 5_000, tail: 9_000, side: 13_000 },
      why: "one by one"
    },
    {
      graceSeconds: 7,
      signals: { app: 0, slow: 5_000, tail: 7_000, side: 7_000 },
      why: "at the end of the grace period"
    },
    {
      graceSeconds: 3,
      signals: { app: 0, slow: 3_000, tail: 3_000, side: 3_000 },
      why: "during the preStop hook"
    }
  ])("comes within $graceSeconds s: $why", ({ graceSeconds, signals }) => {
    const life = somePodLife({}, { terminateMillis: 4_000 })
    const planned = planSigtermTimes({ pod, life, containers: all, graceMillis: graceSeconds * 1000 })
    expect(Object.fromEntries(planned)).toEqual(signals)
  })
})

describe("the grace period of a Pod", () => {
  const withGrace = (ofSpec: number | undefined, requested: number | undefined): Pod => ({
    ...pod,
    metadata: {
      ...pod.metadata,
      ...(requested === undefined ? {} : { deletionGracePeriodSeconds: requested })
    },
    spec: { ...pod.spec, ...(ofSpec === undefined ? {} : { terminationGracePeriodSeconds: ofSpec }) }
  })

  it.each([
    { ofSpec: undefined, requested: undefined, deletion: 30, alreadyRunning: 30 },
    { ofSpec: 9, requested: undefined, deletion: 9, alreadyRunning: 9 },
    { ofSpec: 9, requested: 7, deletion: 7, alreadyRunning: 9 },
    { ofSpec: 9, requested: 0, deletion: 0, alreadyRunning: 9 },
    { ofSpec: undefined, requested: 7, deletion: 7, alreadyRunning: 30 }
  ])(
    "of $ofSpec s, deleted with $requested s: $deletion s, and $alreadyRunning s by itself",
    ({ ofSpec, requested, deletion, alreadyRunning }) => {
      expect(deletionGraceMillis(withGrace(ofSpec, requested))).toBe(deletion * 1000)
      expect(specGraceMillis(withGrace(ofSpec, requested))).toBe(alreadyRunning * 1000)
    }
  )
})

import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { podMachine } from "../../machines/pod.ts"
import {
  containerFactsOfPod,
  millisSinceStartOrExit
} from "../../src/kubernetes/pods/containers/storedContainers.ts"
import { aLife, aPod, lives, observedPod, reportedPod } from "./podAndNodeObservations.ts"
import { makeClock, startChart } from "./chartActor.ts"
import { beginMillis, textAt } from "./workloadObservations.ts"
import type { ContainerFacts } from "../../src/kubernetes/pods/containers/containers.ts"
import type { Command } from "../../src/kubernetes/apps/commands.ts"
import type { Pod } from "../../src/kubernetes/meta/objects.ts"
import type { ContainerLife, PodLife, RunFault } from "../../src/kubernetes/pods/podLife.ts"
import type { ChartActor } from "./chartActor.ts"
import type { PodObservation } from "../../machines/guards/podGuards.ts"

/**
 * A new actor of a Pod knows only the status that the old one reported. Times in it have whole seconds and the
 * start of a back-off is missing, so both agree on the state, not on the millisecond of the next change.
 */
const probed = {
  readinessProbe: { periodSeconds: 1, failureThreshold: 2 },
  livenessProbe: { periodSeconds: 5, failureThreshold: 3 }
}

interface Script {
  readonly life: PodLife
  readonly policy: string
  readonly containers: ReadonlyArray<string>
  readonly inits: ReadonlyArray<string> | undefined
  readonly steps: ReadonlyArray<
    number | "bind" | "delete" | "lose the node" | "bring it back" | "look" | keyof typeof podFaults
  >
  readonly probes?: object
}

/** Faults of a Pod. They are not in the store; a new actor receives them like the old one. */
const podFaults = {
  crash: (life: PodLife, pod: Pod, nowMillis: number): PodLife =>
    withRunFault(life, pod, nowMillis, (ranMillis) => ({
      crash: { code: 137, reason: "OOMKilled", ranMillis }
    })),
  hang: (life: PodLife, pod: Pod, nowMillis: number): PodLife =>
    withRunFault(life, pod, nowMillis, (silentMillis) => ({ silentMillis })),
  recover: (life: PodLife): PodLife => changed(life, ({ runFault: _over, ...rest }) => rest),
  "cannot be pulled": (life: PodLife): PodLife => changed(life, (it) => ({ ...it, pullFailures: Infinity })),
  "can be pulled": (life: PodLife): PodLife => changed(life, (it) => ({ ...it, pullFailures: 0 })),
  "every run crashes": (life: PodLife): PodLife =>
    changed(life, (it) => ({
      ...it,
      exit: { afterMillis: 250, code: 1, reason: "Error", times: Infinity }
    })),
  "runs last": (life: PodLife): PodLife => changed(life, (it) => ({ ...it, exit: undefined })),
  "give up": (life: PodLife): PodLife => ({ ...life, eviction: { reason: "Evicted", message: "low" } })
} as const

const changed = (life: PodLife, edit: (life: ContainerLife) => ContainerLife): PodLife => ({
  ...life,
  containers: Object.fromEntries(Object.entries(life.containers).map(([name, it]) => [name, edit(it)])),
  otherContainers: edit(life.otherContainers)
})

const withRunFault = (
  life: PodLife,
  pod: Pod,
  nowMillis: number,
  faultAfter: (ranMillis: number) => Omit<RunFault, "run">
): PodLife => {
  // A Pod that is already stopping gets no fault.
  if (life.eviction !== undefined || pod.metadata.deletionTimestamp !== undefined) return life
  const running = (pod.status.containerStatuses ?? []).filter(({ state }) => state?.running !== undefined)
  const containers = running.map((status) => {
    const runFault = { run: status.restartCount, ...faultAfter(millisSinceStartOrExit(status, nowMillis)) }
    return [status.name, { ...life.otherContainers, ...life.containers[status.name], runFault }] as const
  })
  return { ...life, containers: { ...life.containers, ...Object.fromEntries(containers) } }
}

const scripts: fc.Arbitrary<Script> = fc.record({
  life: fc.constantFrom(...lives.values()),
  policy: fc.constantFrom("Always", "OnFailure", "Never"),
  containers: fc.constantFrom(["app"], ["app", "proxy"]),
  inits: fc.constantFrom(
    undefined,
    undefined,
    ["setup"],
    ["setup", "migrate"],
    ["setup", "sidecar", "migrate"]
  ),
  steps: fc.array(
    fc.oneof(
      fc.constantFrom(3, 130, 900, 1700, 11_000, 95_000),
      fc.constantFrom("bind", "bind", "delete", "lose the node", "bring it back", "look")
    ),
    { maxLength: 14 }
  )
})

const scriptsWithFaults: fc.Arbitrary<Script> = fc
  .tuple(
    scripts,
    fc.array(
      fc.oneof(
        fc.constantFrom(...(Object.keys(podFaults) as ReadonlyArray<keyof typeof podFaults>)),
        fc.constantFrom(300, 1000, 2900, 11_000, 31_000, 61_000)
      ),
      { maxLength: 12 }
    ),
    fc.constantFrom({}, probed, { readinessProbe: probed.readinessProbe })
  )
  .map(([script, luck, probes]) => ({ ...script, steps: ["bind", 2000, ...script.steps, ...luck], probes }))

const withProbes = (pod: Pod, probes: object): Pod => ({
  ...pod,
  spec: { ...pod.spec, containers: pod.spec.containers.map((it) => ({ ...it, ...probes })) }
})

const perform = ({ life: firstLife, policy, containers, inits, steps, probes = {} }: Script) => {
  const clock = makeClock(beginMillis)
  const actor = startChart(podMachine, clock)
  let pod = withProbes(
    aPod({ restartPolicy: policy, containers, ...(inits === undefined ? {} : { inits }) }),
    probes
  )
  let life = firstLife
  let kubelet: PodObservation["kubelet"] = "reachable"
  let isGone = false
  const carryOut = (commands: ReadonlyArray<Command>): void => {
    const last = commands.findLast((command) => command.type === "reportPod")
    if (last !== undefined) pod = reportedPod(pod, last, clock.nowMillis())
    if (commands.some(({ type }) => type === "removePod")) isGone = true
  }
  const seen = (): PodObservation => observedPod(pod, life, { kubelet, nowMillis: clock.nowMillis() })
  const look = (): void => carryOut(actor.take({ type: "observed", seen: seen() }))
  const change = (edit: Pod): void => {
    pod = edit
  }
  look()
  for (const step of steps) {
    if (isGone) break
    if (typeof step === "number") {
      clock.advance(step, () => carryOut(actor.take()))
      continue
    }
    if (step in podFaults) {
      life = podFaults[step as keyof typeof podFaults](life, pod, clock.nowMillis())
    }
    if (step === "bind") change({ ...pod, spec: { ...pod.spec, nodeName: "node-1" } })
    // An unbound or finished Pod is deleted at once, without its kubelet.
    if (step === "delete" && pod.spec.nodeName !== undefined && pod.status.phase === "Running") {
      const deletion = { deletionTimestamp: textAt(0), deletionGracePeriodSeconds: 30 }
      change({ ...pod, metadata: { ...pod.metadata, ...deletion } })
    }
    if (step === "lose the node" && pod.spec.nodeName !== undefined) kubelet = "lost"
    if (step === "bring it back") kubelet = "reachable"
    look()
  }
  return { clock, actor, seen, isGone, pod: () => pod }
}

/** The state of a Pod. A requested binding is not stored: the new actor requests it again. */
const stateOf = (actor: ChartActor): unknown => {
  const value = actor.value()
  return typeof value === "object" && value !== null && "pending" in value ? "pending" : value
}

/** Takes a failed pull for its back-off: they differ only in the first second. */
const withoutFailedPulls = (containers: ReadonlyArray<ContainerFacts>): ReadonlyArray<ContainerFacts> =>
  containers.map((facts): ContainerFacts =>
    facts.doing === "pullFailed" ? { ...facts, doing: "pullBackOff" } : facts
  )

const containersOf = (actor: ChartActor): ReadonlyArray<ContainerFacts> =>
  withoutFailedPulls(actor.snapshot().context.containers)

/** The commands, and the containers in the store after them: a report that repeats the stored status is dropped. */
const reportOf = (actor: ChartActor, { seen }: { readonly seen: PodObservation }) => {
  const commands = actor.take({ type: "observed", seen })
  const report = commands.findLast((command) => command.type === "reportPod")
  const stored = containerFactsOfPod(seen.pod)
  return {
    containers: withoutFailedPulls(report?.containers ?? stored),
    otherCommands: commands.filter(({ type }) => type !== "reportPod")
  }
}

describe("a new actor of a Pod, made from the stored status", () => {
  it("has the state of the old one, the same containers and the same commands", () => {
    const law = fc.property(scripts, (script) => {
      const { clock, actor: old, seen, isGone } = perform(script)
      if (isGone) return
      const event = { type: "observed", seen: seen() }
      const fresh = startChart(podMachine, clock)
      for (const actor of [old, fresh]) actor.take(event)
      expect(stateOf(fresh)).toEqual(stateOf(old))
      // A Pod that has ended or is on a lost node has no containers in its actor.
      if (containersOf(fresh).length > 0) expect(containersOf(fresh)).toEqual(containersOf(old))
      expect(reportOf(fresh, event)).toEqual(reportOf(old, event))
    })
    fc.assert(law, { seed: 20260302, numRuns: 400 })
  })

  it("has the state of the old one after any faults", () => {
    const law = fc.property(scriptsWithFaults, (script) => {
      const { clock, actor: old, seen, isGone } = perform(script)
      if (isGone) return
      const event = { type: "observed", seen: seen() }
      const fresh = startChart(podMachine, clock)
      for (const actor of [old, fresh]) actor.take(event)
      expect(stateOf(fresh)).toEqual(stateOf(old))
      if (containersOf(fresh).length > 0) expect(containersOf(fresh)).toEqual(containersOf(old))
    })
    fc.assert(law, { seed: 20260304, numRuns: 1500 })
  })

  it("reaches the states that the old one reaches", () => {
    const settling = scripts.filter(({ life: { otherContainers: it } }) => it.exit?.times !== Infinity)
    const law = fc.property(settling, (script) => {
      const { clock, actor: old, seen, isGone } = perform(script)
      if (isGone) return
      const fresh = startChart(podMachine, clock)
      for (const actor of [old, fresh]) actor.take({ type: "observed", seen: seen() })
      clock.advance(3_600_000)
      expect(stateOf(fresh)).toEqual(stateOf(old))
    })
    fc.assert(law, { seed: 20260303, numRuns: 400 })
  })

  it("requests its binding when due, also after an earlier look", () => {
    const clock = makeClock(beginMillis)
    const actor = startChart(podMachine, clock)
    const event = { type: "observed", seen: observedPod(aPod()) }
    actor.take(event)
    clock.advance(7)
    actor.take(event)
    clock.advance(1000)
    expect(actor.take()).toEqual([{ type: "requestBinding" }])
  })

  it("reports nothing of a Pod on a lost node", () => {
    const clock = makeClock(beginMillis)
    const actor = startChart(podMachine, clock)
    actor.take({ type: "observed", seen: observedPod(aPod()) })
    const bound = observedPod(aPod({ node: "node-1" }), aLife(), { kubelet: "lost" })
    expect(actor.take({ type: "observed", seen: bound })).toEqual([])
    expect(actor.value()).toBe("outOfReach")
  })
})

import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { podMachine } from "../../machines/pod.ts"
import {
  activityElapsedMillis,
  storedContainers
} from "../../src/kubernetes/pods/containers/storedContainers.ts"
import { aLife, aPod, lives, observedPod, reportedPod } from "./leafWorlds.ts"
import { makeClock, play } from "./player.ts"
import { beginMillis, textAt } from "./worlds.ts"
import type { ContainerFacts } from "../../src/kubernetes/pods/containers/containers.ts"
import type { Command } from "../../src/kubernetes/apps/commands.ts"
import type { Pod } from "../../src/kubernetes/meta/objects.ts"
import type { ContainerLife, PodLife, RunFault } from "../../src/kubernetes/pods/podLife.ts"
import type { Player } from "./player.ts"
import type { PodObservation } from "../../machines/podSetup.ts"

/**
 * A Pod's actor made anew knows only what the store has: the status that the old one reported. Times in it have whole
 * seconds and a back-off's start is not among them, so the two agree on where the Pod is, not on the very
 * millisecond at which it moves on.
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
    number | "bind" | "delete" | "lose the node" | "bring it back" | "look" | keyof typeof befallings
  >
  readonly probes?: object
}

/** What comes over a Pod from outside: it is beside the store, and an actor made anew is told of it as the old one was. */
const befallings = {
  crash: (life: PodLife, pod: Pod, nowMillis: number): PodLife =>
    struck(life, pod, nowMillis, (ranMillis) => ({ crash: { code: 137, reason: "OOMKilled", ranMillis } })),
  hang: (life: PodLife, pod: Pod, nowMillis: number): PodLife =>
    struck(life, pod, nowMillis, (silentMillis) => ({ silentMillis })),
  recover: (life: PodLife): PodLife => changed(life, ({ mishap: _over, ...rest }) => rest),
  "cannot be pulled": (life: PodLife): PodLife => changed(life, (it) => ({ ...it, pullFailures: Infinity })),
  "can be pulled": (life: PodLife): PodLife => changed(life, (it) => ({ ...it, pullFailures: 0 })),
  "every run crashes": (life: PodLife): PodLife =>
    changed(life, (it) => ({
      ...it,
      exit: { afterMillis: 250, code: 1, reason: "Error", times: Infinity }
    })),
  "runs last": (life: PodLife): PodLife => changed(life, (it) => ({ ...it, exit: undefined })),
  "give up": (life: PodLife): PodLife => ({ ...life, verdict: { reason: "Evicted", message: "low" } })
} as const

const changed = (life: PodLife, to: (life: ContainerLife) => ContainerLife): PodLife => ({
  ...life,
  containers: Object.fromEntries(Object.entries(life.containers).map(([name, it]) => [name, to(it)])),
  otherContainers: to(life.otherContainers)
})

const struck = (
  life: PodLife,
  pod: Pod,
  nowMillis: number,
  by: (ranMillis: number) => Omit<RunFault, "run">
): PodLife => {
  // What is stopping already is left to that.
  if (life.verdict !== undefined || pod.metadata.deletionTimestamp !== undefined) return life
  const running = (pod.status.containerStatuses ?? []).filter(({ state }) => state?.running !== undefined)
  const containers = running.map((status) => {
    const mishap = { run: status.restartCount, ...by(activityElapsedMillis(status, nowMillis)) }
    return [status.name, { ...life.otherContainers, ...life.containers[status.name], mishap }] as const
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

/** Those to whom a lot happens, with probes and without. */
const hardLuck: fc.Arbitrary<Script> = fc
  .tuple(
    scripts,
    fc.array(
      fc.oneof(
        fc.constantFrom(...(Object.keys(befallings) as ReadonlyArray<keyof typeof befallings>)),
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

/** A Pod in a store, whose actor's commands are carried out at once. */
const perform = ({ life: born, policy, containers, inits, steps, probes = {} }: Script) => {
  const clock = makeClock(beginMillis)
  const actor = play(podMachine, clock)
  let pod = withProbes(
    aPod({ restartPolicy: policy, containers, ...(inits === undefined ? {} : { inits }) }),
    probes
  )
  let life = born
  let kubelet: PodObservation["kubelet"] = "reachable"
  let isGone = false
  const carryOut = (commands: ReadonlyArray<Command>): void => {
    const last = commands.findLast((command) => command.type === "reportPod")
    if (last !== undefined) pod = reportedPod(pod, last, clock.nowMillis())
    if (commands.some(({ type }) => type === "removePod")) isGone = true
  }
  const seen = (): PodObservation => observedPod(pod, life, { kubelet, nowMillis: clock.nowMillis() })
  const look = (): void => carryOut(actor.take({ type: "observed", seen: seen() }))
  const change = (to: Pod): void => {
    pod = to
  }
  look()
  for (const step of steps) {
    if (isGone) break
    if (typeof step === "number") {
      clock.advance(step, () => carryOut(actor.take()))
      continue
    }
    if (step in befallings) {
      life = befallings[step as keyof typeof befallings](life, pod, clock.nowMillis())
    }
    if (step === "bind") change({ ...pod, spec: { ...pod.spec, nodeName: "node-1" } })
    // An unbound Pod is deleted at once, and so is a finished one: neither is left to its kubelet.
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

/** Where a Pod is. That a binding was asked for is not stored: it is asked for again. */
const placeOf = (actor: Player): unknown => {
  const value = actor.value()
  return typeof value === "object" && value !== null && "pending" in value ? "pending" : value
}

/** A pull that failed is waited out at once: only the first second of the wait differs. */
const waitedOut = (containers: ReadonlyArray<ContainerFacts>): ReadonlyArray<ContainerFacts> =>
  containers.map((facts): ContainerFacts =>
    facts.doing === "pullFailed" ? { ...facts, doing: "pullBackOff" } : facts
  )

const knownBy = (actor: Player): ReadonlyArray<ContainerFacts> =>
  waitedOut(actor.snapshot().context.containers)

/** One that was told to go before it ever ran has no end that counts. */
const uncounted = (actor: Player): ReadonlyArray<ContainerFacts> =>
  knownBy(actor).map((facts) =>
    facts.lastExit?.reason === "ContainerStatusUnknown"
      ? { ...facts, crashes: 0, pullError: undefined }
      : facts
  )

/** What it says, and what the store has of the containers then: a report that repeats what is stored says nothing. */
const saidBy = (actor: Player, { seen }: { readonly seen: PodObservation }) => {
  const commands = actor.take({ type: "observed", seen })
  const report = commands.findLast((command) => command.type === "reportPod")
  const stored = storedContainers(seen.pod)
  return {
    containers: waitedOut(report?.containers ?? stored),
    others: commands.filter(({ type }) => type !== "reportPod")
  }
}

describe("a Pod's actor made anew from the stored status", () => {
  it("is where the old one was, knows the same of its containers, and says the same", () => {
    const law = fc.property(scripts, (script) => {
      const { clock, actor: old, seen, isGone } = perform(script)
      if (isGone) return
      const event = { type: "observed", seen: seen() }
      const fresh = play(podMachine, clock)
      for (const actor of [old, fresh]) actor.take(event)
      expect(placeOf(fresh)).toEqual(placeOf(old))
      // A Pod that has ended, or is out of reach, has no containers to know of.
      if (knownBy(fresh).length > 0) expect(knownBy(fresh)).toEqual(knownBy(old))
      expect(saidBy(fresh, event)).toEqual(saidBy(old, event))
    })
    fc.assert(law, { seed: 20260302, numRuns: 400 })
  })

  it("is where the old one was after all that may befall a Pod from outside", () => {
    const law = fc.property(hardLuck, (script) => {
      const { clock, actor: old, seen, isGone } = perform(script)
      if (isGone) return
      const event = { type: "observed", seen: seen() }
      const fresh = play(podMachine, clock)
      for (const actor of [old, fresh]) actor.take(event)
      expect(placeOf(fresh)).toEqual(placeOf(old))
      if (knownBy(fresh).length > 0) expect(uncounted(fresh)).toEqual(uncounted(old))
    })
    fc.assert(law, { seed: 20260304, numRuns: 1500 })
  })

  it("gets to where the old one gets", () => {
    const settling = scripts.filter(({ life: { otherContainers: it } }) => it.exit?.times !== Infinity)
    const law = fc.property(settling, (script) => {
      const { clock, actor: old, seen, isGone } = perform(script)
      if (isGone) return
      const fresh = play(podMachine, clock)
      for (const actor of [old, fresh]) actor.take({ type: "observed", seen: seen() })
      clock.advance(3_600_000)
      expect(placeOf(fresh)).toEqual(placeOf(old))
    })
    fc.assert(law, { seed: 20260303, numRuns: 400 })
  })

  it("asks for its binding although it was looked at before it was due", () => {
    const clock = makeClock(beginMillis)
    const actor = play(podMachine, clock)
    const event = { type: "observed", seen: observedPod(aPod()) }
    actor.take(event)
    clock.advance(7)
    actor.take(event)
    clock.advance(1000)
    expect(actor.take()).toEqual([{ type: "requestBinding" }])
  })

  it("reports nothing of a Pod that is bound to a node nobody hears of", () => {
    const clock = makeClock(beginMillis)
    const actor = play(podMachine, clock)
    actor.take({ type: "observed", seen: observedPod(aPod()) })
    const bound = observedPod(aPod({ node: "node-1" }), aLife(), { kubelet: "lost" })
    expect(actor.take({ type: "observed", seen: bound })).toEqual([])
    expect(actor.value()).toBe("outOfReach")
  })
})

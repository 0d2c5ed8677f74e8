import { assign, emit, enqueueActions, setup } from "xstate"
import {
  containerLife,
  containerSpecOf,
  containerPlan,
  hasEverRun,
  isContainerDone,
  isImageOnNode,
  isQueued,
  queuedAfterRemoval,
  hasNotRunSinceRemoval
} from "../src/kubernetes/pods/containers/containers.ts"
import { deadlineExceeded } from "../src/kubernetes/pods/podStatus.ts"
import {
  deletionGraceMillis,
  specGraceMillis,
  planContainerStops,
  containerStopForRestartAll
} from "../src/kubernetes/pods/podStopping.ts"
import {
  millisSinceStartOrExit,
  containerStatusOf,
  statusesOfRole,
  containerFactsOfPod,
  ephemeralFactsOfPod
} from "../src/kubernetes/pods/containers/storedContainers.ts"
import { pullMillisOf } from "../src/kubernetes/pods/containers/images.ts"
import { nextContainer } from "../src/kubernetes/pods/podPhase.ts"
import { isSemanticallyEqual } from "../src/kubernetes/meta/semanticEquality.ts"
import { isTerminating } from "../src/kubernetes/meta/deletion.ts"
import { kubeletEvents } from "../src/kubernetes/pods/containers/kubeletEvents.ts"
import { timestampMillis, timestampOf } from "../src/kubernetes/meta/amounts/timestamps.ts"
import { kubeletEvictionGraceMillis } from "../src/kubernetes/pods/kubeletEndings.ts"
import { containerMachine } from "./container.ts"
import { podGuards } from "./guards/podGuards.ts"
import { recordEvent } from "../src/kubernetes/apps/sharedCommands.ts"
import type { ActorRefFrom } from "xstate"
import type { ObservedPod, PodEvent, PodObservation } from "./guards/podGuards.ts"
import type { ContainerStop } from "../src/kubernetes/pods/containers/containerRuns.ts"
import type { ContainerFacts } from "../src/kubernetes/pods/containers/containers.ts"
import type { PodCommand } from "../src/kubernetes/apps/commands.ts"
import type { ContainerLife, PodLife } from "../src/kubernetes/pods/podLife.ts"

export interface PodContext extends ObservedPod {
  readonly actors: ReadonlyArray<ActorRefFrom<typeof containerMachine>>
  /** When the containers that are being stopped will have ended, in Unix milliseconds, by container name. */
  readonly stopsAt: ReadonlyMap<string, number>
}

const containerInput = (
  seen: PodObservation,
  facts: ContainerFacts,
  containers: ReadonlyArray<ContainerFacts>
) => {
  const { pod, life, nowMillis } = seen
  const { spec, status } = pod
  const stored = statusesOfRole(status, facts.role)
  const plan = containerPlan(containerSpecOf(spec, facts) ?? { name: facts.name }, {
    role: facts.role,
    spec,
    life,
    isImageOnNode: isImageOnNode(spec, containers, facts)
  })
  return {
    plan,
    facts,
    elapsedMillis: hasNotRunSinceRemoval(facts)
      ? 0
      : millisSinceStartOrExit(containerStatusOf(stored, facts.name), nowMillis)
  }
}

const hasSameRemainingLife = (one: PodLife, other: PodLife, facts: ContainerFacts): boolean =>
  isSemanticallyEqual(remainingLife(one, facts), remainingLife(other, facts))

/** A container that has run has its image: faults of the registry no longer affect it. */
const remainingLife = (life: PodLife, facts: ContainerFacts): Partial<ContainerLife> => {
  const { pullMillis, pullFailures, pullError, ...running } = containerLife(life, facts.name, facts.role)
  return hasEverRun(facts) ? running : { ...running, pullMillis, pullFailures, pullError }
}

/** For containers without a planned grace period: those that do not run, and ephemeral ones. */
const immediateStop: ContainerStop = { withinMillis: 0, isKilled: false }

const asCreating = (facts: ContainerFacts): ContainerFacts => ({ ...facts, doing: "creating" })

const noFacts: ReadonlyArray<ContainerFacts> = []

const newEphemerals = (
  { actors, ephemerals = noFacts }: PodContext,
  { pod }: PodObservation
): ReadonlyArray<ContainerFacts> =>
  pod.spec.ephemeralContainers === undefined || actors.length === 0 || isTerminating(pod)
    ? noFacts
    : ephemeralFactsOfPod(pod).filter(({ name }) => ephemerals.every((it) => it.name !== name))

const podReport = ({ containers, ephemerals }: PodContext) =>
  ephemerals === undefined
    ? ({ type: "reportPod", containers } as const)
    : ({ type: "reportPod", containers, ephemerals } as const)

export const podSetup = setup({
  types: {} as {
    context: PodContext
    events: PodEvent
    emitted: PodCommand
    tags: "moving"
  },
  actors: { container: containerMachine },
  guards: podGuards,
  actions: {
    remember: assign(({ context, event, spawn }) => {
      if (event.type !== "observed") return {}
      const { seen } = event
      const addedEphemerals = newEphemerals(context, seen)
      if (addedEphemerals.length === 0) return { seen }
      const actors = addedEphemerals.map((facts) =>
        spawn("container", { id: facts.name, input: containerInput(seen, facts, context.containers) })
      )
      return {
        seen,
        ephemerals: [...(context.ephemerals ?? []), ...addedEphemerals],
        actors: [...context.actors, ...actors]
      }
    }),
    noteContainer: assign(({ context, event }) => {
      if (event.type !== "container.changed") return {}
      const { facts } = event
      const withNewFacts = (it: ContainerFacts): ContainerFacts => (it.name === facts.name ? facts : it)
      return facts.role === "ephemeral"
        ? { ephemerals: (context.ephemerals ?? []).map(withNewFacts) }
        : { containers: context.containers.map(withNewFacts) }
    }),
    recordEvents: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== "container.changed" || context.seen === undefined) return
      const { pod, life } = context.seen
      const { facts, happening } = event
      const isOnNode = happening === "pulled" && isImageOnNode(pod.spec, context.containers, facts)
      const pullMillis = pullMillisOf(containerLife(life, facts.name, facts.role), isOnNode)
      for (const command of kubeletEvents({ eventName: happening, facts, pod, pullMillis }))
        enqueue.emit(command)
    }),
    // Queued containers start later, one by one.
    startContainers: assign(({ context, spawn }) => {
      const { seen } = context
      if (seen === undefined || context.actors.length > 0) return {}
      const containers = containerFactsOfPod(seen.pod)
      const ephemerals =
        seen.pod.spec.ephemeralContainers === undefined ? noFacts : ephemeralFactsOfPod(seen.pod)
      const actors = [...containers, ...ephemerals]
        .filter((facts) => !isQueued(facts))
        .map((facts) =>
          spawn("container", { id: facts.name, input: containerInput(seen, facts, containers) })
        )
      return ephemerals.length === 0 ? { containers, actors } : { containers, actors, ephemerals }
    }),
    startNext: assign(({ context, spawn }) => {
      const { seen, containers, actors } = context
      const next = nextContainer(containers)
      if (seen === undefined || next === undefined) return {}
      const actor = spawn("container", {
        id: next.name,
        input: containerInput(seen, asCreating(next), containers)
      })
      return {
        containers: containers.map((it) => (it === next ? asCreating(it) : it)),
        actors: [...actors, actor]
      }
    }),
    // A container gets a new plan if a fault has changed the rest of its life.
    passLifeOn: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== "observed" || context.seen === undefined) return
      const { seen } = event
      const old = context.seen.life
      if (seen.life === old) return
      for (const actor of context.actors) {
        const facts = context.containers.find(({ name }) => name === actor.id)
        if (facts === undefined || hasSameRemainingLife(old, seen.life, facts)) continue
        const { plan, elapsedMillis } = containerInput(seen, facts, context.containers)
        enqueue.sendTo(actor, { type: "life.changed", plan, elapsedMillis })
      }
    }),
    setDeadline: enqueueActions(({ context: { seen }, enqueue }) => {
      const seconds = seen?.pod.spec.activeDeadlineSeconds
      if (seen === undefined || seconds === undefined) return
      const startMillis = timestampMillis(seen.pod.status.startTime ?? timestampOf(seen.nowMillis))
      const delay = Math.max(0, startMillis + seconds * 1000 - seen.nowMillis)
      enqueue.cancel("deadline")
      enqueue.raise({ type: "deadline.passed" }, { id: "deadline", delay })
    }),
    recordOverdue: emit(recordEvent("Normal", deadlineExceeded.reason, deadlineExceeded.message)),
    // A second stop may shorten the first grace period, never prolong it.
    stopContainers: enqueueActions(({ context, enqueue }) => {
      const { seen, containers, actors, stopsAt } = context
      if (seen === undefined) return
      const { pod, life, nowMillis } = seen
      const stops = planContainerStops({ pod, life, containers, graceMillis: deletionGraceMillis(pod) })
      const nextStopsAt = new Map<string, number>()
      for (const actor of actors) {
        if (actor.getSnapshot().status !== "active") continue
        const { withinMillis, isKilled } = stops.get(actor.id) ?? immediateStop
        const at = Math.min(nowMillis + withinMillis, stopsAt.get(actor.id) ?? Infinity)
        nextStopsAt.set(actor.id, at)
        enqueue.sendTo(actor, { type: "stop", withinMillis: Math.max(0, at - nowMillis), isKilled })
      }
      enqueue.assign({ stopsAt: nextStopsAt })
    }),
    // For a Pod that stays as an object: its deadline has passed, it is evicted, or only its sidecars still run.
    endContainers: enqueueActions(({ context, enqueue }) => {
      const { seen, containers, actors } = context
      if (seen === undefined) return
      const { pod, life } = seen
      const graceMillis = life.eviction === undefined ? specGraceMillis(pod) : kubeletEvictionGraceMillis
      const stops = planContainerStops({ pod, life, containers, graceMillis })
      for (const actor of actors) {
        const facts = containers.find(({ name }) => name === actor.id)
        if (facts !== undefined && isContainerDone(facts, pod.spec)) continue
        enqueue.sendTo(actor, { type: "stop", ...(stops.get(actor.id) ?? immediateStop) })
      }
    }),
    // For RestartAllContainers the kubelet waits neither for the grace period nor for preStop hooks.
    stopForRestart: enqueueActions(({ context: { seen, containers, actors }, enqueue }) => {
      if (seen === undefined) return
      for (const actor of actors) {
        const facts = containers.find(({ name }) => name === actor.id)
        if (facts === undefined) continue
        const stop = facts.doing === "running" ? containerStopForRestartAll(seen.life) : immediateStop
        enqueue.sendTo(actor, { type: "stop", ...stop })
      }
    }),
    removeContainers: enqueueActions(({ context: { containers, actors }, enqueue }) => {
      const names = new Set(containers.map(({ name }) => name))
      for (const actor of actors) if (names.has(actor.id)) enqueue.stopChild(actor)
      enqueue.assign({
        actors: actors.filter(({ id }) => !names.has(id)),
        containers: containers.map(queuedAfterRemoval)
      })
    }),
    // On a lost node, what containers do is unknown.
    loseContainers: enqueueActions(({ context, enqueue }) => {
      for (const actor of context.actors) enqueue.stopChild(actor)
      enqueue.assign({ actors: [], stopsAt: noStopTimes })
    }),
    requestBinding: emit({ type: "requestBinding" }),
    report: emit(({ context }) => podReport(context)),
    reportUnmounted: emit(({ context: { seen } }) => ({
      type: "reportPod",
      containers: seen === undefined ? [] : containerFactsOfPod(seen.pod),
      isMounted: false
    })),
    reportDeleted: emit(({ context }) => ({ ...podReport(context), ending: "deleted" })),
    reportOverdue: emit(({ context }) => ({ ...podReport(context), ending: "overdue" })),
    recordEviction: enqueueActions(({ context: { seen }, enqueue }) => {
      const { reason, message } = seen?.life.eviction ?? {}
      if (reason === undefined || message === undefined) return
      enqueue.emit(recordEvent("Warning", reason, message))
    }),
    // The state `evicted` is entered only with an eviction, so the Pod is never reported as deleted here.
    reportEviction: emit(({ context }) => ({
      ...podReport(context),
      ending: context.seen?.life.eviction ?? "deleted"
    })),
    remove: emit({ type: "removePod" })
  },
  delays: { schedule: ({ context }) => context.seen?.life.scheduleMillis ?? 0 }
})

export const noStopTimes: ReadonlyMap<string, number> = new Map()

import * as Effect from "effect/Effect"
import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import { awaitsVolumes } from "../kubernetes/storage/attachments.ts"
import { usesClaims } from "../kubernetes/storage/podClaims.ts"
import { volumeLookupIn } from "./volumes/storageView.ts"
import { podStatus } from "../kubernetes/pods/podStatus.ts"
import { containerLife } from "../kubernetes/pods/containers/containers.ts"
import { isPodFinished } from "../kubernetes/pods/podState.ts"
import { timestampMillis } from "../kubernetes/meta/amounts/timestamps.ts"
import {
  containersToRestart,
  decideResize,
  isResizeDeferred,
  wasResized
} from "../kubernetes/pods/podResize.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { noSnapshotParts } from "../runtime/snapshotParts.ts"
import { performRequest } from "../runtime/reconciler/controller.ts"
import { isKubeletRunning } from "../kubernetes/core/nodeStatus.ts"
import { isObjectMissing } from "../store/storeErrors.ts"
import { concernsKubelet, concernsPodsOfNode } from "./changeFilters.ts"
import { controllerTurnOrder } from "../runtime/reconciler/controllerTurnOrder.ts"
import type { AnyStateMachine } from "xstate"
import type { PodObservation } from "../../machines/guards/podGuards.ts"
import type { ResizeDecision } from "../kubernetes/pods/podResize.ts"
import type { Change } from "../store/objectStore.ts"
import type { Command } from "../kubernetes/apps/commands.ts"
import type { Key, KubeObject, Pod } from "../kubernetes/meta/objects.ts"
import type { PodLife } from "../kubernetes/pods/podLife.ts"
import type { CommandRefused, Controller } from "../runtime/reconciler/controller.ts"
import type { ControllerServices } from "./controllerServices.ts"

interface PodServices extends ControllerServices {
  readonly lifeOf: (pod: Pod) => PodLife
  /** Asks the scheduler for a node for the Pod. */
  readonly requestBinding: (key: Key) => void
  readonly giveWakeToFaults?: (wake: (key: Key) => void) => void
}

/** The simulated kubelets. Source: pkg/kubelet/kubelet.go. */
export const podController = (
  services: PodServices,
  machine: AnyStateMachine
): Controller<typeof resources.pods> => {
  const nextAddress = makeAddressAllocator(services)
  const wakeDeferred = makeDeferredResizeWaker(services)
  return {
    resource: resources.pods,
    turnOrder: controllerTurnOrder.pod,
    machine: () => machine,
    sharesActorSystem: true,
    watches: [resources.pods, resources.nodes, resources.persistentVolumeClaims],
    wakeActors: (change, wake) => {
      const { resource, object } = change
      if (resource === resources.nodes && concernsPodsOfNode(change)) {
        for (const pod of services.view.nodePods.on(object.metadata.name)) wake(objectKeyOf(pod))
      }
      if (resource === resources.persistentVolumeClaims) {
        for (const pod of services.view.claimPods.using(objectKeyOf(object))) {
          if (pod.spec.nodeName !== undefined) wake(objectKeyOf(pod))
        }
      }
      if (resource === resources.pods && concernsKubelet(change)) wake(objectKeyOf(object))
      if (resource === resources.pods) wakeDeferred(change, wake)
    },
    giveWakeToFaults: services.giveWakeToFaults,
    look: (pod) => look(services, pod),
    perform: (pod, commands) => perform(services, nextAddress, pod, commands)
  }
}

const look = ({ view, lifeOf, nowMillis }: PodServices, pod: Pod): PodObservation => {
  const { nodeName } = pod.spec
  const node = nodeName === undefined ? undefined : view.get(resources.nodes, nodeName)
  const isLost = nodeName !== undefined && !isKubeletRunning(node)
  const observation = {
    pod,
    life: withResizeRestarts(lifeOf(pod), { pod, decision: resizeOf(view, pod), nowMillis: nowMillis() }),
    kubelet: isLost ? "lost" : "reachable",
    nowMillis: nowMillis()
  } as const
  const isAwaitingVolumes =
    nodeName !== undefined && usesClaims(pod.spec) && awaitsVolumes(pod, node, volumeLookupIn(view))
  return isAwaitingVolumes ? { ...observation, volumes: "awaited" } : observation
}

const resizeOf = (view: PodServices["view"], pod: Pod): ResizeDecision | undefined => {
  const { nodeName } = pod.spec
  if (nodeName === undefined || !wasResized(pod)) return undefined
  return decideResize(pod, view.get(resources.nodes, nodeName), view.nodePods.requestedOn(nodeName))
}

const withResizeRestarts = (
  life: PodLife,
  {
    pod,
    decision,
    nowMillis
  }: { readonly pod: Pod; readonly decision: ResizeDecision | undefined; readonly nowMillis: number }
): PodLife => {
  const restarts = decision === undefined ? [] : containersToRestart(pod, decision)
  if (restarts.length === 0) return life
  const containers = restarts.map(({ name, restartCount, state }) => {
    const ranMillis = nowMillis - timestampMillis(state?.running?.startedAt ?? "")
    const runFault = { run: restartCount, crash: { code: 137, reason: "Error", ranMillis } }
    return [name, { ...containerLife(life, name, "app"), runFault }] as const
  })
  return { ...life, containers: { ...life.containers, ...Object.fromEntries(containers) } }
}

const perform = (
  services: PodServices,
  nextAddress: () => string,
  pod: Pod,
  commands: ReadonlyArray<Command>
): Effect.Effect<unknown, CommandRefused> => {
  // Only the last report is written, since every report covers the whole status.
  const lastReport = commands.findLast(({ type }) => type === "reportPod")
  const toPerform = commands.filter((command) => command.type !== "reportPod" || command === lastReport)
  const [soleCommand] = toPerform
  if (soleCommand !== undefined && toPerform.length === 1)
    return performOne(services, nextAddress, pod, soleCommand)
  return Effect.forEach(toPerform, (command) => performOne(services, nextAddress, pod, command), {
    discard: true
  })
}

const performOne = (
  services: PodServices,
  nextAddress: () => string,
  pod: Pod,
  command: Command
): Effect.Effect<unknown, CommandRefused> => {
  switch (command.type) {
    case "requestBinding":
      return Effect.sync(() => services.requestBinding(objectKeyOf(pod)))
    case "recordEvent": {
      const host = pod.spec.nodeName
      return services.events.record({
        component: "kubelet",
        ...(host === undefined ? {} : { host }),
        about: pod,
        event: command
      })
    }
    case "reportPod":
      return reportPod(services, nextAddress, pod, command)
    case "removePod": {
      const ref = { resource: resources.pods, key: objectKeyOf(pod) }
      const request = { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid } }
      return performRequest("removePod", services.store.delete(ref, request), isObjectMissing)
    }
    default:
      return Effect.die(new Error(`not a command of a Pod: ${command.type}`))
  }
}

/**
 * Reads the Pod from the store, since earlier commands may have changed it.
 * Source: pkg/kubelet/status/status_manager.go (syncPod).
 */
const reportPod = (
  { store, view, nowMillis }: PodServices,
  nextAddress: () => string,
  pod: Pod,
  { containers, ephemerals, ending, isMounted }: Extract<Command, { readonly type: "reportPod" }>
): Effect.Effect<unknown, CommandRefused> => {
  const withReport = (object: KubeObject): Pod => {
    const present = object as Pod
    const node = view.get(resources.nodes, present.spec.nodeName ?? "")
    const hostIP = node?.status.addresses?.find(({ type }) => type === "InternalIP")?.address ?? ""
    const addresses = { hostIP, podIP: present.status.podIP ?? (isMounted === false ? "" : nextAddress()) }
    const status = podStatus({
      pod: present,
      containers,
      ephemerals,
      ending,
      resize: resizeOf(view, present),
      addresses,
      nowMillis: nowMillis(),
      areVolumesMounted: isMounted
    })
    return { ...present, status }
  }
  const ref = { resource: resources.pods, key: objectKeyOf(pod) }
  const options = { uid: pod.metadata.uid, status: true }
  const statusWrite = store.modifyNow?.(ref, withReport, options) ?? store.modify(ref, withReport, options)
  return performRequest("reportPod", statusWrite, isObjectMissing)
}

/** Wakes Pods whose resize is deferred when another Pod of their node may have freed resources. */
const makeDeferredResizeWaker = ({ view, snapshotParts = noSnapshotParts }: ControllerServices) => {
  const deferred = new Map<Key, string>()
  const updateDeferred = (pod: Pod): void => {
    if (isResizeDeferred(pod)) deferred.set(objectKeyOf(pod), pod.spec.nodeName ?? "")
    else if (deferred.size > 0) deferred.delete(objectKeyOf(pod))
  }
  if (snapshotParts.isRestored) for (const pod of view.all(resources.pods)) updateDeferred(pod)
  return ({ type, object }: Change, wake: (key: Key) => void): void => {
    const pod = object as Pod
    const isGone = type === "DELETED"
    if (isGone) deferred.delete(objectKeyOf(pod))
    else if (wasResized(pod)) updateDeferred(pod)
    if (deferred.size === 0 || !(isGone || isPodFinished(pod) || wasResized(pod))) return
    for (const [key, nodeName] of deferred)
      if (nodeName === pod.spec.nodeName && key !== objectKeyOf(pod)) wake(key)
  }
}

/** Assigns Pod addresses from 10.244.0.0/14 in order. */
const makeAddressAllocator = ({
  view,
  snapshotParts = noSnapshotParts
}: ControllerServices): (() => string) => {
  // A controller that restarts continues after the highest address in use.
  let lastNumber = 0
  const presentPods = snapshotParts.isRestored ? [] : view.all(resources.pods)
  for (const { status } of presentPods) lastNumber = Math.max(lastNumber, addressNumber(status.podIP))
  snapshotParts.registerPart<number>("addresses", {
    save: () => lastNumber,
    restore: (state) => {
      lastNumber = state
    }
  })
  return () => {
    lastNumber += 1
    return `10.${244 + ((lastNumber >> 16) & 3)}.${(lastNumber >> 8) & 255}.${lastNumber & 255}`
  }
}

/** The position of an address in 10.244.0.0/14. */
const addressNumber = (address: string | undefined): number => {
  const [, second = "244", third = "0", fourth = "0"] = address?.split(".") ?? []
  return ((Number(second) - 244) << 16) + (Number(third) << 8) + Number(fourth)
}

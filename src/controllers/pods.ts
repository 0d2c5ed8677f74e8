import * as Effect from "effect/Effect"
import { keyOf } from "../domain/objects.ts"
import { isFinished } from "../domain/pods.ts"
import { podStatus } from "../domain/podStatus.ts"
import { resources } from "../domain/kinds.ts"
import { noMemory } from "../runtime/memory.ts"
import { refuse } from "../runtime/reconciler.ts"
import { hasKubelet } from "../domain/nodeStatus.ts"
import { ranks } from "./services.ts"
import type { AnyStateMachine } from "xstate"
import type { PodObservation } from "../../machines/podSetup.ts"
import type { Command } from "../domain/commands.ts"
import type { Key, KubeObject, Pod } from "../domain/objects.ts"
import type { StoreError } from "../store/errors.ts"
import type { PodLife } from "../domain/podLife.ts"
import type { CommandRefused, Controller } from "../runtime/reconciler.ts"
import type { ControllerServices } from "./services.ts"

/** What Pods need beyond what every controller does: how each will live, and who places them. */
interface PodServices extends ControllerServices {
  readonly lifeOf: (pod: Pod) => PodLife
  readonly requestBinding: (key: Key) => void
  /** Told how to make Pods look, for whoever changes how they live. */
  readonly awaken?: (wake: (key: Key) => void) => void
}

/**
 * The simulated kubelets: each bound Pod is moved as its behaviour says.
 *
 * Source: pkg/kubelet/kubelet.go.
 */
export const podController = (
  services: PodServices,
  machine: AnyStateMachine
): Controller<typeof resources.pods> => {
  const nextAddress = makeAddresses(services)
  return {
    resource: resources.pods,
    rank: ranks.pods,
    machine,
    // What a kubelet says of a Pod does not concern it: it is told of what others want of the Pod, and of
    // its node.
    wakes: ({ resource, type, object, old }, wake) => {
      if (resource === resources.nodes) {
        if (hasKubelet(old) === hasKubelet(type === "DELETED" ? undefined : object)) return
        for (const pod of services.view.nodePods.on(object.metadata.name)) wake(keyOf(pod))
      }
      if (resource !== resources.pods) return
      const [pod, was] = [object as Pod, old as Pod | undefined]
      const wanted =
        type !== "MODIFIED" ||
        pod.spec !== was?.spec ||
        pod.metadata.deletionTimestamp !== was.metadata.deletionTimestamp ||
        pod.metadata.deletionGracePeriodSeconds !== was.metadata.deletionGracePeriodSeconds ||
        (pod.spec.nodeName === undefined && isFinished(pod) && !isFinished(was)) ||
        (pod.spec.readinessGates !== undefined && pod.status.conditions !== was.status.conditions)
      if (wanted) wake(keyOf(pod))
    },
    awaken: services.awaken,
    look: (pod) => look(services, pod),
    perform: (pod, commands) => perform(services, nextAddress, pod, commands)
  }
}

const look = ({ view, lifeOf, nowMillis }: PodServices, pod: Pod): PodObservation => {
  const { nodeName } = pod.spec
  const isLost = nodeName !== undefined && !hasKubelet(view.get(resources.nodes, nodeName))
  return { pod, life: lifeOf(pod), kubelet: isLost ? "lost" : "reachable", nowMillis: nowMillis() }
}

/** Only the last report counts: the kubelet writes a status, not its history. */
const perform = (
  services: PodServices,
  nextAddress: () => string,
  pod: Pod,
  commands: ReadonlyArray<Command>
): Effect.Effect<void, CommandRefused> => {
  const last = commands.findLast(({ type }) => type === "reportPod")
  const wanted = commands.filter((command) => command.type !== "reportPod" || command === last)
  const [only] = wanted
  // One command at a time is the rule, and needs nothing to hold several together.
  if (only !== undefined && wanted.length === 1) return performOne(services, nextAddress, pod, only)
  return Effect.forEach(wanted, (command) => performOne(services, nextAddress, pod, command), {
    discard: true
  })
}

const performOne = (
  services: PodServices,
  nextAddress: () => string,
  pod: Pod,
  command: Command
): Effect.Effect<void, CommandRefused> => {
  switch (command.type) {
    case "requestBinding":
      return Effect.sync(() => services.requestBinding(keyOf(pod)))
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
      return Effect.suspend(() => reportPod(services, nextAddress, pod, command))
    case "removePod": {
      const ref = { resource: resources.pods, key: keyOf(pod) }
      const request = { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid } }
      return services.store.delete(ref, request).pipe(
        Effect.asVoid,
        Effect.catchTag("NotFound", () => Effect.void),
        Effect.mapError(refuse("removePod"))
      )
    }
    default:
      return Effect.die(new Error(`not a command of a Pod: ${command.type}`))
  }
}

/**
 * Made from the Pod as it is by now: the commands before may have changed it, and what a kubelet has seen of it may be
 * old. One that is gone, or somebody else, needs no report.
 *
 * Source: pkg/kubelet/status/status_manager.go (syncPod).
 */
const reportPod = (
  { store, view, nowMillis }: PodServices,
  nextAddress: () => string,
  pod: Pod,
  { containers, ending }: Extract<Command, { readonly type: "reportPod" }>
): Effect.Effect<void, CommandRefused> => {
  const reported = (object: KubeObject): Pod => {
    const present = object as Pod
    const node = view.get(resources.nodes, present.spec.nodeName ?? "")
    const hostIP = node?.status.addresses?.find(({ type }) => type === "InternalIP")?.address ?? ""
    const addresses = { hostIP, podIP: present.status.podIP ?? nextAddress() }
    const status = podStatus({ pod: present, containers, ending, addresses, nowMillis: nowMillis() })
    return { ...present, status }
  }
  const ref = { resource: resources.pods, key: keyOf(pod) }
  const written = store.modify(ref, reported, { uid: pod.metadata.uid, status: true })
  return Effect.mapError(unlessMissing(written), refuse("reportPod"))
}

/** Nobody is left to say it of. What is refused for any other reason is tried again. */
const unlessMissing = (written: Effect.Effect<unknown, StoreError>): Effect.Effect<void, StoreError> =>
  Effect.catchTag(Effect.asVoid(written), "NotFound", () => Effect.void)

/** Pod addresses of one cluster, one after another through 10.244.0.0/14. */
const makeAddresses = ({ view, memory = noMemory }: ControllerServices): (() => string) => {
  // Whoever begins in mid-life goes on after the last that is known.
  let given = 0
  const present = memory.isNew ? view.all(resources.pods) : []
  for (const { status } of present) given = Math.max(given, addressNumber(status.podIP))
  memory.carry<number>("addresses", {
    save: () => given,
    restore: (state) => {
      given = state
    }
  })
  return () => {
    given += 1
    return `10.${244 + ((given >> 16) & 3)}.${(given >> 8) & 255}.${given & 255}`
  }
}

const addressNumber = (address: string | undefined): number => {
  const [, second = "244", third = "0", fourth = "0"] = address?.split(".") ?? []
  return ((Number(second) - 244) << 16) + (Number(third) << 8) + Number(fourth)
}

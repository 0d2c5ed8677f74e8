import * as Effect from "effect/Effect"
import { keyOf } from "../domain/objects.ts"
import { podStatus } from "../domain/podStatus.ts"
import { resources } from "../domain/kinds.ts"
import { refuse } from "../runtime/reconciler.ts"
import { kubeletOf } from "./nodes.ts"
import { ranks } from "./services.ts"
import type { AnyStateMachine } from "xstate"
import type { PodObservation } from "../../machines/podSetup.ts"
import type { Command } from "../domain/commands.ts"
import type { Key, Pod } from "../domain/objects.ts"
import type { PodLife } from "../domain/podLife.ts"
import type { CommandRefused, Controller } from "../runtime/reconciler.ts"
import type { ControllerServices } from "./services.ts"

/** What Pods need beyond what every controller does: how each will live, and who places them. */
interface PodServices extends ControllerServices {
  readonly lifeOf: (pod: Pod) => PodLife
  readonly requestBinding: (key: Key) => void
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
  const nextAddress = makeAddresses()
  return {
    resource: resources.pods,
    rank: ranks.pods,
    machine,
    // What a kubelet says of a Pod does not concern it: it is told of what others want of the Pod, and of
    // its node.
    wakes: ({ resource, type, object, old }, wake) => {
      if (resource === resources.nodes) {
        if (old === undefined || kubeletOf(object) === kubeletOf(old)) return
        for (const pod of services.view.nodePods.on(object.metadata.name)) wake(keyOf(pod))
      }
      if (resource !== resources.pods) return
      const [pod, was] = [object as Pod, old as Pod | undefined]
      const wanted =
        type !== "MODIFIED" ||
        pod.spec !== was?.spec ||
        pod.metadata.deletionTimestamp !== was.metadata.deletionTimestamp ||
        pod.metadata.deletionGracePeriodSeconds !== was.metadata.deletionGracePeriodSeconds ||
        (pod.spec.readinessGates !== undefined && pod.status.conditions !== was.status.conditions)
      if (wanted) wake(keyOf(pod))
    },
    look: (pod) => look(services, pod),
    perform: (pod, commands) => perform(services, nextAddress, pod, commands)
  }
}

const look = ({ view, lifeOf, nowMillis }: PodServices, pod: Pod): PodObservation => {
  const node = pod.spec.nodeName === undefined ? undefined : view.get(resources.nodes, pod.spec.nodeName)
  const isLost = pod.spec.nodeName !== undefined && (node === undefined || kubeletOf(node) === "stopped")
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

/** Made from the Pod as it is by now: the commands before may have changed it. */
const reportPod = (
  { store, view, nowMillis }: PodServices,
  nextAddress: () => string,
  pod: Pod,
  { containers, ending }: Extract<Command, { readonly type: "reportPod" }>
): Effect.Effect<void, CommandRefused> => {
  const present = view.get(resources.pods, keyOf(pod))
  if (present === undefined) return Effect.void
  const node = view.get(resources.nodes, present.spec.nodeName ?? "")
  const hostIP = node?.status.addresses?.find(({ type }) => type === "InternalIP")?.address ?? ""
  const addresses = { hostIP, podIP: present.status.podIP ?? nextAddress() }
  const status = podStatus({ pod: present, containers, ending, addresses, nowMillis: nowMillis() })
  const reported: Pod = { ...present, status }
  return Effect.mapError(Effect.asVoid(store.updateStatus(reported)), refuse("reportPod"))
}

/** Pod addresses of one cluster, one after another through 10.244.0.0/14. */
const makeAddresses = (): (() => string) => {
  let given = 0
  return () => {
    given += 1
    return `10.${244 + ((given >> 16) & 3)}.${(given >> 8) & 255}.${given & 255}`
  }
}

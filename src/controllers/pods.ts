import * as Effect from "effect/Effect"
import { keyOf } from "../domain/objects.ts"
import { podStatus } from "../domain/podStatus.ts"
import { resources } from "../domain/kinds.ts"
import { refuse } from "../runtime/reconciler.ts"
import { kubeletOf } from "./nodes.ts"
import { ranks } from "./services.ts"
import type { AnyStateMachine } from "xstate"
import type { PodObservation } from "../../machines/pod.ts"
import type { Command } from "../domain/commands.ts"
import type { Key, Pod } from "../domain/objects.ts"
import type { PodLife } from "../domain/podLife.ts"
import type { CommandRefused, Controller } from "../runtime/reconciler.ts"
import type { ControllerServices } from "./services.ts"

/** What Pods need beyond what every controller does: how each will live, and who places them. */
export interface PodServices extends ControllerServices {
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
        pod.metadata.deletionTimestamp !== was.metadata.deletionTimestamp
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
const perform = Effect.fnUntraced(function* (
  services: PodServices,
  nextAddress: () => string,
  pod: Pod,
  commands: ReadonlyArray<Command>
): Effect.fn.Return<void, CommandRefused> {
  const { store, view, events } = services
  const last = commands.findLast(({ type }) => type === "reportPod")
  for (const command of commands) {
    switch (command.type) {
      case "requestBinding":
        services.requestBinding(keyOf(pod))
        break
      case "recordEvent": {
        const host = pod.spec.nodeName
        yield* events.record({
          component: "kubelet",
          ...(host === undefined ? {} : { host }),
          about: pod,
          event: command
        })
        break
      }
      case "reportPod": {
        const present = view.get(resources.pods, keyOf(pod))
        if (command !== last || present === undefined) break
        const node = view.get(resources.nodes, present.spec.nodeName ?? "")
        const hostIP = node?.status.addresses?.find(({ type }) => type === "InternalIP")?.address ?? ""
        const addresses = { hostIP, podIP: present.status.podIP ?? nextAddress() }
        const { containers } = command
        const status = podStatus({ pod: present, containers, addresses, nowMillis: services.nowMillis() })
        const reported: Pod = { ...present, status }
        yield* Effect.mapError(store.updateStatus(reported), refuse("reportPod"))
        break
      }
      case "removePod": {
        const ref = { resource: resources.pods, key: keyOf(pod) }
        const only = { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid } }
        yield* store.delete(ref, only).pipe(
          Effect.catchTag("NotFound", () => Effect.void),
          Effect.mapError(refuse("removePod"))
        )
        break
      }
      default:
        yield* Effect.die(new Error(`not a command of a Pod: ${command.type}`))
    }
  }
})

/** Pod addresses of one cluster, one after another through 10.244.0.0/14. */
const makeAddresses = (): (() => string) => {
  let given = 0
  return () => {
    given += 1
    return `10.${244 + ((given >> 16) & 3)}.${(given >> 8) & 255}.${given & 255}`
  }
}

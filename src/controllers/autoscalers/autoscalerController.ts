import * as Effect from "effect/Effect"
import { matchesSelector, parseSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { scaleOfTarget, targetKindOf, withTargetReplicas } from "../../kubernetes/autoscaling/scaleTarget.ts"
import { controllerTurnOrder } from "../../runtime/reconciler/controllerTurnOrder.ts"
import { NotFound } from "../../store/storeErrors.ts"
import { keyInNamespaceOf, updateStatusIfChanged } from "../controllerServices.ts"
import { performRequest } from "../../runtime/reconciler/controller.ts"
import { makeSelectedPods } from "../selectedPods.ts"
import { readMetric } from "./readMetrics.ts"
import type { AnyStateMachine } from "xstate"
import type { Autoscaler } from "../../kubernetes/autoscaling/autoscalerTypes.ts"
import type {
  AutoscalerObservation,
  ScaleTarget,
  TargetProblem
} from "../../kubernetes/autoscaling/autoscalerObservation.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { Command } from "../../kubernetes/apps/commands.ts"
import type { CommandRefused, Controller } from "../../runtime/reconciler/controller.ts"
import type { ControllerServices } from "../controllerServices.ts"
import type { KubeObject, Pod } from "../../kubernetes/meta/objects.ts"
import type { PodMeter } from "../../kubernetes/metrics/podMeter.ts"
import type { SelectedPods } from "../selectedPods.ts"
import type { StoreError } from "../../store/storeErrors.ts"
import type { TargetKind } from "../../kubernetes/autoscaling/scaleTarget.ts"

const component = "horizontal-pod-autoscaler"

interface AutoscalerServices extends ControllerServices {
  readonly meter: PodMeter
}

export const autoscalerController = (
  services: AutoscalerServices,
  machine: AnyStateMachine
): Controller<typeof resources.autoscalers> => {
  const selectedPods = makeSelectedPods(services.view)
  services.snapshotParts?.registerPart("selected", selectedPods)
  return {
    resource: resources.autoscalers,
    turnOrder: controllerTurnOrder.horizontalPodAutoscaler,
    machine: () => machine,
    watches: [resources.autoscalers, resources.pods],
    wakeActors: (change, wake) => {
      const { type, resource, object } = change
      // A changed Pod does not wake the autoscaler, which looks in fixed intervals.
      if (resource === resources.pods) selectedPods.updatePod(change)
      else if (type === "DELETED") selectedPods.forget(objectKeyOf(object))
      else wake(objectKeyOf(object))
    },
    // An autoscaler looks at fixed times, whatever its own commands change.
    needsNoLook: () => true,
    // The chart waits for a `performed` event after it has scaled the target.
    awaitsPerformed: (commands) => commands.some(({ type }) => type === "scaleTarget"),
    look: (autoscaler) => look(services, selectedPods, autoscaler),
    perform: (autoscaler, commands) =>
      Effect.forEach(commands, (command) => performOne(services, autoscaler, command), { discard: true })
  }
}

const look = (
  { view, meter, nowMillis: now }: AutoscalerServices,
  selectedPods: SelectedPods,
  autoscaler: Autoscaler
): AutoscalerObservation => {
  const nowMillis = now()
  const { namespace = "" } = autoscaler.metadata
  const found = findTarget(view, autoscaler)
  if ("problem" in found)
    return { autoscaler, target: found, pods: [], readings: [], competingAutoscalers: [], nowMillis }
  const { target } = found
  const selector = parseSelector(target.selector ?? "")
  if (target.selector === undefined || target.selector === "" || selector === undefined)
    return { autoscaler, target, pods: [], readings: [], competingAutoscalers: [], nowMillis }
  const key = objectKeyOf(autoscaler)
  selectedPods.follow(key, { namespace, selector })
  const pods = selectedPods.podsOf(key)
  return {
    autoscaler,
    target,
    pods,
    readings: (autoscaler.spec.metrics ?? []).map((metric) =>
      readMetric(meter, metric, { namespace, pods, nowMillis, kinds: view.kinds })
    ),
    competingAutoscalers: competingAutoscalersOf(view, autoscaler, pods),
    nowMillis
  }
}

interface FoundTarget extends TargetKind {
  readonly object: KubeObject
  readonly target: ScaleTarget
}

const findTarget = (view: ClusterView["Service"], autoscaler: Autoscaler): FoundTarget | TargetProblem => {
  const targetKind = targetKindOf(autoscaler.spec, view.kinds.served())
  if ("problem" in targetKind) return targetKind
  const { kind, resource } = targetKind
  const { name } = autoscaler.spec.scaleTargetRef
  const object = view.get(resource, keyInNamespaceOf(autoscaler, name))
  if (object === undefined) return { problem: new NotFound({ resource, resourceName: name }).message }
  const target = scaleOfTarget(object, kind)
  return "problem" in target ? target : { kind, resource, object, target }
}

/** Source: pkg/controller/podautoscaler/horizontal.go (hpasControllingPodsUnderSelector). */
const competingAutoscalersOf = (
  view: ClusterView["Service"],
  autoscaler: Autoscaler,
  pods: ReadonlyArray<Pod>
): ReadonlyArray<string> => {
  const keys: Array<string> = []
  for (const other of view.all(resources.autoscalers)) {
    if (other.metadata.namespace !== autoscaler.metadata.namespace) continue
    if (other.metadata.uid === autoscaler.metadata.uid) {
      keys.push(objectKeyOf(other))
      continue
    }
    const found = findTarget(view, other)
    const selector = "problem" in found ? undefined : parseSelector(found.target.selector ?? "")
    const isCompeting =
      selector !== undefined && pods.some((pod) => matchesSelector(selector, pod.metadata.labels))
    if (isCompeting) keys.push(objectKeyOf(other))
  }
  return keys.length < 2 ? [] : keys.sort()
}

const performOne = (
  services: ControllerServices,
  autoscaler: Autoscaler,
  command: Command
): Effect.Effect<unknown, CommandRefused> => {
  switch (command.type) {
    case "scaleTarget":
      return performRequest(command.type, scaleTarget(services, autoscaler, command.to))
    case "reportAutoscaler":
      return performRequest(command.type, updateStatusIfChanged(services, autoscaler, command.status))
    case "recordEvent":
      return services.events.record({ component, about: autoscaler, event: command })
    default:
      return Effect.die(new Error(`not a command of a HorizontalPodAutoscaler: ${command.type}`))
  }
}

const scaleTarget = (
  { store, view }: ControllerServices,
  autoscaler: Autoscaler,
  replicas: number
): Effect.Effect<unknown, StoreError> => {
  const found = findTarget(view, autoscaler)
  const { kind, name } = autoscaler.spec.scaleTargetRef
  return "problem" in found
    ? Effect.fail(new NotFound({ resource: kind, resourceName: name }))
    : store.update(withTargetReplicas(found.object, found.kind, replicas))
}

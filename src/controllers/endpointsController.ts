import * as Effect from "effect/Effect"
import { endpointsFor, hasPodSelector } from "../kubernetes/core/endpoints.ts"
import { isManagedSlice, planEndpointSlices } from "../kubernetes/core/endpointSlices.ts"
import { isFieldSemanticallyEqual, isSemanticallyEqual } from "../kubernetes/meta/semanticEquality.ts"
import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { runInformer } from "../runtime/workers/informer.ts"
import { makeKeyTimers } from "../runtime/time/keyTimers.ts"
import { noSnapshotParts } from "../runtime/snapshotParts.ts"
import { makeMailbox } from "../runtime/workers/mailbox.ts"
import { processMailbox } from "../runtime/workers/worker.ts"
import { isNamespaceTerminating } from "../store/storeErrors.ts"
import { makeOwnWrites } from "./ownWrites.ts"
import { concernsEndpoints } from "./changeFilters.ts"
import { makeSelectedPods } from "./selectedPods.ts"
import { controllerTurnOrder } from "../runtime/reconciler/controllerTurnOrder.ts"
import type { Scope } from "effect/Scope"
import type { Endpoints, Service } from "../kubernetes/core/endpoints.ts"
import type { Draft, Key, KubeObject, Pod } from "../kubernetes/meta/objects.ts"
import type { Kernel } from "../runtime/time/kernel.ts"
import type { StoreError } from "../store/storeErrors.ts"
import type { Change } from "../store/objectStore.ts"
import type { SelectedPods } from "./selectedPods.ts"
import type { ControllerServices } from "./controllerServices.ts"
import type { ControllerSelection } from "./managerControllers.ts"

/**
 * Source: pkg/controller/endpoint/endpoints_controller.go, pkg/controller/endpointslice/endpointslice_controller.go.
 * Unlike Kubernetes, Endpoints of a Service without a selector are not mirrored, and a Service of more than a
 * thousand Pods is written once a second, as with `--endpoint-updates-batch-period`.
 */
export const runEndpointsController = Effect.fnUntraced(function* (
  services: ControllerServices,
  kernel: Kernel,
  selection: Pick<ControllerSelection, "runs">
): Effect.fn.Return<void, never, Scope> {
  const { view, snapshotParts = noSnapshotParts } = services
  const selectedPods = makeSelectedPods(view)
  snapshotParts.registerPart("selected", selectedPods)
  const mailbox = yield* makeMailbox({ kernel, turnOrder: controllerTurnOrder.endpoints, snapshotParts })
  const ownWrites = makeOwnWrites(kernel.nowMillis)
  const batchTimers = yield* makeKeyTimers({
    kernel,
    turnOrder: controllerTurnOrder.endpoints,
    mailbox,
    snapshotParts
  })

  const offerService = (key: Key): void => {
    if (selectedPods.countOf(key) <= batchPodsMin) return mailbox.offer(key)
    if (!batchTimers.has(key)) batchTimers.after(key, batchMillis)
  }

  const onService = ({ type, object }: Change): void => {
    const service = object as Service
    const { namespace = "" } = service.metadata
    const key = objectKeyOf(service)
    if (type === "DELETED" || !hasPodSelector(service)) selectedPods.forget(key)
    else selectedPods.follow(key, { namespace, selector: { matchLabels: service.spec.selector ?? {} } })
    mailbox.offer(key)
  }

  const onChange = (change: Change): void => {
    const { resource, object } = change
    switch (resource) {
      case resources.pods: {
        const keys = selectedPods.updatePod(change)
        if (concernsEndpoints(change)) keys.forEach(offerService)
        return
      }
      case resources.services:
        return onService(change)
      case resources.endpoints:
        if (!ownWrites.isOwn() && selectedPods.isFollowed(objectKeyOf(object)))
          mailbox.offer(objectKeyOf(object))
        return
      case resources.endpointSlices: {
        const owner = object.metadata.ownerReferences?.find(({ kind }) => kind === "Service")
        const key = `${object.metadata.namespace}/${owner?.name}`
        if (!ownWrites.isOwn() && selectedPods.isFollowed(key)) mailbox.offer(key)
      }
    }
  }

  yield* processMailbox({
    mailbox,
    // If time passes during the writes, another client may have changed the endpoints.
    attempt: (key) =>
      ownWrites
        .during(syncService(services, selection, { selectedPods, key }), () => mailbox.offer(key))
        .pipe(
          // The view must show the write first, or the next look would repeat it.
          Effect.flatMap((written) =>
            written === undefined ? Effect.void : view.waitForVersion(written.metadata.resourceVersion)
          ),
          Effect.catchIf(isNamespaceTerminating, () => Effect.void)
        ),
    snapshotParts
  })
  yield* runInformer(services, onChange, {
    resources: [resources.pods, resources.services, resources.endpoints, resources.endpointSlices],
    initialList: [resources.services]
  })
})

/** The endpoints of Services with more Pods are written once per `batchMillis`. */
const batchPodsMin = 1000
const batchMillis = 1000

const syncService = Effect.fnUntraced(function* (
  services: ControllerServices,
  { runs }: Pick<ControllerSelection, "runs">,
  { selectedPods, key }: { readonly selectedPods: SelectedPods; readonly key: Key }
): Effect.fn.Return<Written, StoreError> {
  const { view } = services
  const service = view.get(resources.services, key)
  const writesEndpoints = runs("endpoints-controller")
  if (service === undefined) return writesEndpoints ? yield* removeEndpoints(services, key) : undefined
  if (!hasPodSelector(service)) return undefined
  const pods = selectedPods.podsOf(key)
  const endpoints = writesEndpoints ? yield* syncEndpoints(services, service, pods) : undefined
  if (!runs("endpointslice-controller")) return endpoints
  return (yield* syncSlices(services, service, pods)) ?? endpoints
})

/** The object of the last write; undefined if nothing was written. */
type Written = KubeObject | undefined

const removeEndpoints = ({ view, store }: ControllerServices, key: Key): Effect.Effect<Written, StoreError> =>
  view.get(resources.endpoints, key) === undefined
    ? Effect.succeed(undefined)
    : Effect.catchTag(store.delete({ resource: resources.endpoints, key }), "NotFound", () =>
        Effect.succeed(undefined)
      )

const syncEndpoints = (
  { view, store, nowMillis }: ControllerServices,
  service: Service,
  pods: ReadonlyArray<Pod>
): Effect.Effect<Written, StoreError> => {
  const present = view.get(resources.endpoints, objectKeyOf(service))
  const desired = endpointsFor(service, pods, nowMillis())
  if (present === undefined) return store.create(desired)
  if (isUpToDate(present, desired)) return Effect.succeed(undefined)
  const { labels, annotations } = desired.metadata
  const metadata = { ...present.metadata, ...(labels && { labels }), ...(annotations && { annotations }) }
  const updatedEndpoints: Endpoints = { ...present, metadata, subsets: desired.subsets ?? [] }
  return store.update(updatedEndpoints)
}

/** The annotation with the time of the change always differs, so annotations are only counted. */
const isUpToDate = (present: Endpoints, desired: Draft & Pick<Endpoints, "subsets">): boolean => {
  const annotationCount = (object: Draft): number => Object.keys(object.metadata.annotations ?? {}).length
  return (
    isSemanticallyEqual(present.subsets, desired.subsets) &&
    isFieldSemanticallyEqual("labels", present.metadata.labels, desired.metadata.labels) &&
    annotationCount(present) === annotationCount(desired)
  )
}

const syncSlices = Effect.fnUntraced(function* (
  { view, store, nowMillis }: ControllerServices,
  service: Service,
  pods: ReadonlyArray<Pod>
): Effect.fn.Return<Written, StoreError> {
  const changes = planEndpointSlices({
    service,
    pods,
    slices: view.controlled(resources.endpointSlices, service.metadata.uid).filter(isManagedSlice),
    zoneOf: (node) => view.get(resources.nodes, node)?.metadata.labels?.["topology.kubernetes.io/zone"],
    nowMillis: nowMillis()
  })
  let lastWritten: Written
  for (const slice of changes.create) lastWritten = yield* store.create(slice)
  for (const slice of changes.update) lastWritten = yield* store.update(slice)
  for (const slice of changes.remove) {
    lastWritten = yield* store.delete({ resource: resources.endpointSlices, key: objectKeyOf(slice) })
  }
  return lastWritten
})

import * as Effect from "effect/Effect"
import { resolveFeatureGates } from "../../../src/kubernetes/meta/featureGates.ts"
import { deploymentMachine } from "../../../machines/deployment.ts"
import { builtInStrategies } from "../../../machines/strategies/strategies.ts"
import { replicaSetMachine } from "../../../machines/replicaSet.ts"
import { deploymentController } from "../../../src/controllers/deploymentController.ts"
import { makeEventRecorder } from "../../../src/controllers/eventRecorder.ts"
import { replicaSetController } from "../../../src/controllers/replicaSetController.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { objectKeyOf } from "../../../src/kubernetes/meta/objects.ts"
import { makeActors } from "../../../src/runtime/actors/actors.ts"
import { makeKernel } from "../../../src/runtime/time/kernel.ts"
import { reconcile } from "../../../src/runtime/reconciler/reconciler.ts"
import { makeMemoryStore } from "../../../src/store/memoryStore.ts"
import { timestampOf } from "../../../src/kubernetes/meta/amounts/timestamps.ts"
import { namespaceManifest, startMillis } from "../../builders.ts"
import { makeLateView } from "./lateView.ts"
import type { ObjectOf } from "../../../src/kubernetes/meta/resourceTypes.ts"
import type { Deployment, Draft, KubeObject, Pod, ReplicaSet } from "../../../src/kubernetes/meta/objects.ts"
import type { GroupResource } from "../../../src/kubernetes/meta/kinds.ts"
import type { StoreError } from "../../../src/store/storeErrors.ts"
import type { Change, DeleteOptions, ObjectStore } from "../../../src/store/objectStore.ts"

type Write = "create" | "update" | "updateStatus" | "modify" | "delete"

/**
 * The error for a write of the controllers. `what` is the kind of a whole object, or the resource of
 * a change or deletion; `times` counts the writes of one sort from 1.
 */
type Refuses = (write: Write, what: string, times: number) => StoreError | undefined

interface WorkloadControllersOptions {
  /** Lag of the controllers' view; without it they read the store itself. */
  readonly lagMillis?: number
  readonly refuses?: Refuses
  /** Without the ReplicaSet controller: the test writes their statuses. */
  readonly withoutReplicaSets?: boolean
}

/**
 * The controllers of ReplicaSets and Deployments over a store, without kubelet, scheduler and garbage
 * collector. The test writes the Pods' statuses.
 */
export const workloadControllers = (options: WorkloadControllersOptions = {}) => {
  const kernel = makeKernel({ startMillis })
  const { nowMillis } = kernel
  const { store, view: present } = makeMemoryStore({ nowMillis, seed: 5 })
  const { lagMillis, refuses = () => undefined } = options
  const view = lagMillis === undefined ? present : makeLateView({ kernel, present, lagMillis })
  const changes: Array<Change & { readonly atMillis: number }> = []
  present.subscribe((change) => changes.push({ ...change, atMillis: nowMillis() }))

  const times = new Map<string, number>()
  const through = <A>(write: Write, what: string, effect: Effect.Effect<A, StoreError>) =>
    Effect.suspend(() => {
      const count = (times.get(`${write} ${what}`) ?? 0) + 1
      times.set(`${write} ${what}`, count)
      const error = refuses(write, what, count)
      return error === undefined ? effect : Effect.fail(error)
    })
  const watched: ObjectStore["Service"] = {
    ...store,
    create: (draft, only) => through("create", draft.kind, store.create(draft, only)),
    update: (draft, only) => through("update", draft.kind, store.update(draft, only)),
    updateStatus: (object) => through("updateStatus", object.kind, store.updateStatus(object)),
    modify: (ref, change, only) => through("modify", ref.resource, store.modify(ref, change, only)),
    delete: (ref, request) => through("delete", ref.resource, store.delete(ref, request))
  }

  const defects: Array<string> = []
  kernel.run(
    Effect.scoped(
      Effect.gen(function* () {
        const events = yield* makeEventRecorder({ store: watched, view, kernel })
        const services = { store: watched, view, events, featureGates: resolveFeatureGates(), nowMillis }
        const shared = {
          kernel,
          view,
          actors: makeActors({ kernel }),
          onDefect: (object: KubeObject) => Effect.sync(() => defects.push(object.metadata.name))
        }
        if (options.withoutReplicaSets !== true) {
          yield* reconcile(replicaSetController(services, replicaSetMachine), shared)
        }
        yield* reconcile(deploymentController(services, deploymentMachine(builtInStrategies)), shared)
        return yield* Effect.never
      })
    )
  )

  /** Writes of the test, which are never refused, and not observed before the next `pass`. */
  const now = <A>(effect: Effect.Effect<A, StoreError>): A => Effect.runSync(effect)
  const pass = (millis = 0): void => {
    kernel.advanceTo(kernel.nowMillis() + millis)
    if (defects.length > 0) throw new Error(`actors failed: ${defects.join(" ")}`)
  }
  for (const name of ["shop", "yard"]) {
    now(store.create(namespaceManifest(name)))
  }
  pass(lagMillis ?? 0)

  const refOf = (object: KubeObject) => ({
    resource:
      object.kind === "Pod"
        ? resources.pods
        : object.kind === "ReplicaSet"
          ? resources.replicaSets
          : resources.deployments,
    key: objectKeyOf(object)
  })
  const all = <R extends GroupResource>(resource: R): ReadonlyArray<ObjectOf<R>> => [...present.all(resource)]
  const modify = (
    object: KubeObject,
    change: (it: KubeObject) => Draft,
    only?: { readonly status?: boolean }
  ): KubeObject => now(store.modify(refOf(object), change, only))
  return {
    view: present,
    changes,
    pass,
    nowMillis,
    create: (draft: Draft): KubeObject => now(store.create(draft)),
    modify,
    turnReady: (pod: Pod): void => {
      const ready = { type: "Ready", status: "True", lastTransitionTime: timestampOf(nowMillis()) }
      const status = { phase: "Running", conditions: [ready] }
      modify(pod, (it) => ({ ...it, status }) as Draft, { status: true })
    },
    remove: (object: KubeObject, request?: DeleteOptions) => now(store.delete(refOf(object), request)),
    present: (object: KubeObject): KubeObject => now(store.get(refOf(object))),
    pods: (): ReadonlyArray<Pod> => all(resources.pods),
    replicaSets: (): ReadonlyArray<ReplicaSet> => all(resources.replicaSets),
    replicaSet: (name: string): ReplicaSet | undefined => present.get(resources.replicaSets, `shop/${name}`),
    deployment: (name: string): Deployment | undefined => present.get(resources.deployments, `shop/${name}`),
    perInstant: (type: Change["type"]): ReadonlyArray<number> => {
      const counts = new Map<number, number>()
      for (const change of changes) {
        if (change.resource !== resources.pods || change.type !== type) continue
        counts.set(change.atMillis, (counts.get(change.atMillis) ?? 0) + 1)
      }
      return [...counts.values()]
    },
    /** Events in order of their first occurrence: `FailedCreate x3`. */
    eventCounts: (): ReadonlyArray<string> =>
      all(resources.events).map(({ reason, count }) => `${reason} x${count}`),
    messages: (): ReadonlyArray<string> => all(resources.events).map(({ message }) => message ?? "")
  }
}
export type WorkloadControllers = ReturnType<typeof workloadControllers>

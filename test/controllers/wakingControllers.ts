import { namespaceManifest } from "../builders.ts"
import { resolveFeatureGates } from "../../src/kubernetes/meta/featureGates.ts"
import { deploymentMachine } from "../../machines/deployment.ts"
import { builtInStrategies } from "../../machines/strategies/strategies.ts"
import { replicaSetMachine } from "../../machines/replicaSet.ts"
import { deploymentController } from "../../src/controllers/deploymentController.ts"
import { replicaSetController } from "../../src/controllers/replicaSetController.ts"
import { resources, type GroupResource } from "../../src/kubernetes/meta/kinds.ts"
import { controllerReference } from "../../src/kubernetes/meta/ownerReferences.ts"
import * as Effect from "effect/Effect"
import {
  aDeploymentDraft,
  aPodDraft,
  aReplicaSetDraft,
  aStore,
  run,
  withChanges
} from "../store/testStore.ts"
import type { Draft, KubeObject } from "../../src/kubernetes/meta/objects.ts"

export const red = { labels: { color: "red" } }
export const blue = { labels: { color: "blue" } }
const selecting = ({ labels }: typeof red | typeof blue, spec: object = {}) => ({
  selector: { matchLabels: labels },
  template: {
    metadata: { labels },
    spec: { containers: [{ name: "app", image: "registry.example/app:v3" }] }
  },
  ...spec
})
/** Selects objects without a color, or with another one. */
const colorless = {
  selector: { matchExpressions: [{ key: "color", operator: "NotIn", values: ["red", "blue", "green"] }] },
  template: { ...selecting(red).template, metadata: { labels: { shape: "round" } } }
}
const recreate = { strategy: { type: "Recreate" } }
export const ownedBy = (owner: KubeObject) => ({ ownerReferences: [controllerReference(owner)] })

/**
 * For each of the labels red, blue and no color, Deployments and ReplicaSets that select it, some of them in another
 * namespace. `wokenBy` tells which keys a change wakes.
 */
export const wakingControllers = () => {
  const { store, view, clock } = aStore()
  const ignored = { record: () => Effect.void }
  const services = {
    store,
    view,
    events: ignored,
    featureGates: resolveFeatureGates(),
    nowMillis: () => clock.millis
  }
  const controllers = [
    deploymentController(services, deploymentMachine(builtInStrategies)),
    replicaSetController(services, replicaSetMachine)
  ]
  let woken = new Set<string>()
  const create = (draft: Draft): KubeObject => run(store.create(draft))
  create(namespaceManifest("yard"))
  const web = create(aDeploymentDraft({ name: "web" }, selecting(red)))
  const api = create(aDeploymentDraft({ name: "api" }, selecting(red, recreate)))
  create(aDeploymentDraft({ name: "sky" }, selecting(blue)))
  create(aDeploymentDraft({ name: "far", namespace: "yard" }, selecting(red)))
  const one = create(aReplicaSetDraft({ name: "one", ...red, ...ownedBy(web) }, selecting(red)))
  const two = create(aReplicaSetDraft({ name: "two", ...red, ...ownedBy(api) }, selecting(red)))
  create(aReplicaSetDraft({ name: "sea", ...blue, ...ownedBy(web) }, selecting(blue)))
  create(aReplicaSetDraft({ name: "far", namespace: "yard", ...red }, selecting(red)))
  const colorlessDeployment = create(aDeploymentDraft({ name: "odd" }, colorless))
  create(
    aReplicaSetDraft({ name: "odd", labels: { shape: "round" }, ...ownedBy(colorlessDeployment) }, colorless)
  )
  view.subscribe((change) => {
    for (const { resource, wakeActors: wakes } of controllers) {
      wakes(change, (key, { onlyIfRetrying = false } = {}) => {
        const name = `${resource.split(".")[0]} ${key.replace("shop/", "")}`
        woken.add(onlyIfRetrying ? `${name} to retry` : name)
      })
    }
  })
  const refOf = ({ kind, metadata }: KubeObject) => ({
    resource: resourceByKind[kind] ?? resources.replicaSets,
    key: `${metadata.namespace}/${metadata.name}`
  })
  return {
    web,
    api,
    one,
    two,
    create,
    aReplicaSet: (metadata: Draft["metadata"]): KubeObject =>
      create(aReplicaSetDraft({ name: "new", ...metadata }, selecting(red))),
    aPod: (metadata: Draft["metadata"]): KubeObject => create(aPodDraft({ name: "p", ...metadata })),
    edit: (object: KubeObject, metadata: Draft["metadata"], fields: object = {}): KubeObject =>
      run(store.modify(refOf(object), (it) => withChanges(it, metadata, fields))),
    report: (object: KubeObject, status: object): KubeObject =>
      run(store.modify(refOf(object), (it) => withChanges(it, {}, { status }), { status: true })),
    remove: (object: KubeObject): KubeObject => run(store.delete(refOf(object))),
    /** The keys that a change wakes, as text. */
    wokenBy: (step: () => unknown): string => {
      woken = new Set()
      step()
      return [...woken].sort().join(", ")
    }
  }
}
type WakingControllers = ReturnType<typeof wakingControllers>

const resourceByKind: Readonly<Record<string, GroupResource>> = {
  Pod: resources.pods,
  Deployment: resources.deployments
}

export interface WakeRow {
  readonly why: string
  /** Creates the objects before the change, and returns the change. */
  readonly story: (world: WakingControllers) => () => unknown
  readonly woken: string
}

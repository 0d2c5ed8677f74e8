import { controllerOf, controllerReference } from "../src/kubernetes/meta/ownerReferences.ts"
import { observeDeployment } from "../src/kubernetes/apps/deploymentObservation.ts"
import { revisionAnnotation, sizeAnnotations } from "../src/kubernetes/apps/revisions/revisions.ts"
import { timestampOf } from "../src/kubernetes/meta/amounts/timestamps.ts"
import type { DeploymentObservation } from "../src/kubernetes/apps/deploymentObservation.ts"
import type { IntOrPercent } from "../src/kubernetes/meta/amounts/intOrPercent.ts"
import type {
  Annotations,
  Deployment,
  DeploymentCondition,
  DeploymentStatus,
  KubeObject,
  Labels,
  Node,
  Pod,
  PodCondition,
  PodSpec,
  PodTemplate,
  ReplicaSet,
  ReplicaSetCondition
} from "../src/kubernetes/meta/objects.ts"

/** Objects as the store would hold them, with only what a test is about said in its words. */

export const startMillis = Date.UTC(2026, 0, 1)

/** The moment so many seconds after the tests' world began. */
export const aTime = (seconds: number): string => timestampOf(startMillis + seconds * 1000)

/** Whether an object says of an owner that it alone manages it. */
export const isControlledBy = (object: KubeObject, owner: KubeObject): boolean =>
  controllerOf(object)?.uid === owner.metadata.uid

interface Common {
  readonly name?: string
  readonly namespace?: string
  readonly uid?: string
  readonly labels?: Labels
  readonly annotations?: Annotations
  /** Seconds after the start. */
  readonly created?: number
  readonly generation?: number
  readonly finalizers?: ReadonlyArray<string>
  /** Being deleted since the start. */
  readonly terminating?: boolean
}

const metadataOf = (options: Common, defaults: { readonly name: string; readonly labels: Labels }) => {
  const name = options.name ?? defaults.name
  return {
    name,
    namespace: options.namespace ?? "shop",
    uid: options.uid ?? `uid-${name}`,
    resourceVersion: "7",
    creationTimestamp: aTime(options.created ?? 0),
    generation: options.generation ?? 1,
    labels: options.labels ?? defaults.labels,
    ...(options.annotations === undefined ? {} : { annotations: options.annotations }),
    ...(options.finalizers === undefined ? {} : { finalizers: options.finalizers }),
    ...(options.terminating === true ? { deletionTimestamp: aTime(0), deletionGracePeriodSeconds: 0 } : {})
  }
}

const app: Labels = { app: "web" }

/** The template whose only container runs this version: `v3` of `registry.example/app`. */
export const aTemplate = (
  version = "v3",
  more: {
    readonly labels?: Labels
    readonly annotations?: Annotations
    readonly spec?: Partial<PodSpec>
  } = {}
): PodTemplate => ({
  metadata: {
    labels: { ...app, ...more.labels },
    ...(more.annotations === undefined ? {} : { annotations: more.annotations })
  },
  spec: { containers: [{ name: "app", image: `registry.example/app:${version}` }], ...more.spec }
})

export interface DeploymentOptions extends Common {
  readonly replicas?: number
  readonly strategy?: string
  readonly surge?: IntOrPercent | undefined
  readonly unavailable?: IntOrPercent | undefined
  /** Of the image: `v3` by default. */
  readonly version?: string
  readonly template?: PodTemplate
  readonly minReadySeconds?: number
  readonly deadlineSeconds?: number | undefined
  readonly historyLimit?: number | undefined
  readonly paused?: boolean
  readonly revision?: string
  readonly status?: DeploymentStatus
  readonly conditions?: ReadonlyArray<DeploymentCondition>
}

/** A Deployment of 3 replicas with the default amounts of 25 %, not observed yet. */
export const aDeployment = (options: DeploymentOptions = {}): Deployment => {
  const { strategy = "RollingUpdate", revision, conditions } = options
  const surge = "surge" in options ? options.surge : "25%"
  const unavailable = "unavailable" in options ? options.unavailable : "25%"
  const annotations =
    revision === undefined ? options.annotations : { ...options.annotations, [revisionAnnotation]: revision }
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: metadataOf(annotations === undefined ? options : { ...options, annotations }, {
      name: "web",
      labels: app
    }),
    spec: {
      replicas: options.replicas ?? 3,
      selector: { matchLabels: app },
      template: options.template ?? aTemplate(options.version),
      strategy: {
        type: strategy,
        ...(strategy === "Recreate"
          ? {}
          : {
              rollingUpdate: {
                ...(surge === undefined ? {} : { maxSurge: surge }),
                ...(unavailable === undefined ? {} : { maxUnavailable: unavailable })
              }
            })
      },
      ...(options.minReadySeconds === undefined ? {} : { minReadySeconds: options.minReadySeconds }),
      ...(options.deadlineSeconds === undefined ? {} : { progressDeadlineSeconds: options.deadlineSeconds }),
      ...(options.historyLimit === undefined ? {} : { revisionHistoryLimit: options.historyLimit }),
      ...(options.paused === undefined ? {} : { paused: options.paused })
    },
    status: { ...options.status, ...(conditions === undefined ? {} : { conditions }) }
  }
}

export interface ReplicaSetOptions extends Common {
  readonly replicas?: number
  /** What its status reports; as many as asked for, all of them good, where nothing is said. */
  readonly pods?: number
  readonly ready?: number
  readonly available?: number
  readonly terminatingPods?: number
  readonly observedGeneration?: number
  readonly conditions?: ReadonlyArray<ReplicaSetCondition>
  /** Of the image, and of the name: `web-v1` where no name is given. `v1` by default. */
  readonly version?: string
  readonly template?: PodTemplate
  readonly minReadySeconds?: number
  readonly revision?: string
  /** What it remembers of its Deployment's size. */
  readonly remembers?: { readonly desired: number; readonly max: number }
  /** Its controller; the Deployment `web` by default, none for `null`. */
  readonly owner?: KubeObject | null
}

export const aReplicaSet = (options: ReplicaSetOptions = {}): ReplicaSet => {
  const { replicas = 3, version = "v1", revision, remembers, owner = web } = options
  const pods = options.pods ?? replicas
  const available = options.available ?? pods
  const annotations = {
    ...options.annotations,
    ...(revision === undefined ? {} : { [revisionAnnotation]: revision }),
    ...(remembers === undefined ? {} : sizeAnnotations(remembers.desired, remembers.max))
  }
  const common = Object.keys(annotations).length === 0 ? options : { ...options, annotations }
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      ...metadataOf(common, { name: `web-${version}`, labels: app }),
      ...(owner === null ? {} : { ownerReferences: [controllerReference(owner)] })
    },
    spec: {
      replicas,
      selector: { matchLabels: app },
      template: options.template ?? aTemplate(version),
      ...(options.minReadySeconds === undefined ? {} : { minReadySeconds: options.minReadySeconds })
    },
    status: {
      replicas: pods,
      readyReplicas: options.ready ?? available,
      availableReplicas: available,
      observedGeneration: options.observedGeneration ?? 1,
      ...(options.terminatingPods === undefined ? {} : { terminatingReplicas: options.terminatingPods }),
      ...(options.conditions === undefined ? {} : { conditions: options.conditions })
    }
  }
}

/** The owner of every ReplicaSet that does not say otherwise. */
const web = aDeployment()

export interface PodOptions extends Common {
  readonly owner?: KubeObject
  readonly node?: string | undefined
  readonly phase?: string
  /** Since so many seconds after the start; `true` is a Pod that does not say since when. */
  readonly ready?: number | boolean
  readonly restarts?: ReadonlyArray<number>
  /** Its deletion cost. */
  readonly cost?: string
  readonly spec?: Partial<PodSpec>
}

/** A Pod that runs on node `n1` and is not ready. */
export const aPod = (options: PodOptions = {}): Pod => {
  const { owner, ready = false, cost, restarts } = options
  const node = "node" in options ? options.node : "n1"
  const annotations =
    cost === undefined
      ? options.annotations
      : { ...options.annotations, "controller.kubernetes.io/pod-deletion-cost": cost }
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...metadataOf(annotations === undefined ? options : { ...options, annotations }, {
        name: "web-v1-x2k5l",
        labels: app
      }),
      ...(owner === undefined ? {} : { ownerReferences: [controllerReference(owner)] })
    },
    spec: {
      containers: [{ name: "app", image: "registry.example/app:v1" }],
      ...(node === undefined ? {} : { nodeName: node }),
      ...options.spec
    },
    status: {
      phase: options.phase ?? "Running",
      conditions: [aReadyCondition(ready)],
      ...(restarts === undefined ? {} : { containerStatuses: restarts.map(someContainerStatus) })
    }
  }
}

const aReadyCondition = (ready: number | boolean): PodCondition => ({
  type: "Ready",
  status: ready === false ? "False" : "True",
  ...(typeof ready === "number" ? { lastTransitionTime: aTime(ready) } : {})
})

export const someContainerStatus = (restartCount: number, index = 0) => ({
  name: index === 0 ? "app" : `app-${index}`,
  image: "registry.example/app:v1",
  imageID: "",
  ready: true,
  restartCount
})

export interface NodeOptions extends Common {
  readonly ready?: "True" | "False" | "Unknown"
  readonly cpu?: string
  readonly memory?: string
  readonly pods?: string
  readonly spec?: Node["spec"]
}

/** A ready node of 4 cpu, 8Gi and room for 110 Pods. */
export const aNode = (options: NodeOptions = {}): Node => {
  const { namespace: _namespace, ...metadata } = metadataOf(options, { name: "n1", labels: {} })
  const { cpu = "4", memory = "8Gi", pods = "110" } = options
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata,
    spec: options.spec ?? {},
    status: {
      allocatable: { cpu, memory, pods },
      conditions: [{ type: "Ready", status: options.ready ?? "True" }]
    }
  }
}

interface WorldOptions {
  readonly deployment: Deployment
  /** ReplicaSets that the Deployment controls. */
  readonly replicaSets?: ReadonlyArray<ReplicaSet>
  readonly orphans?: ReadonlyArray<ReplicaSet>
  /** Pods that have not come to an end, by the uid of their ReplicaSet. */
  readonly unfinished?: Readonly<Record<string, number>>
  readonly namesake?: ReplicaSet
  /** Seconds after the start. */
  readonly now?: number
}

/** What the Deployment's actor sees of a world. */
export const anObservation = (world: WorldOptions): DeploymentObservation =>
  observeDeployment({
    deployment: world.deployment,
    owned: world.replicaSets ?? [],
    orphans: world.orphans ?? [],
    podsOf: (uid) => world.unfinished?.[uid] ?? 0,
    namesake: world.namesake,
    nowMillis: startMillis + (world.now ?? 0) * 1000
  })

import { controllerReference } from "../../src/kubernetes/meta/ownerReferences.ts"
import { observeDeployment } from "../../src/kubernetes/apps/deploymentObservation.ts"
import { revisionAnnotation, sizeAnnotations } from "../../src/kubernetes/apps/revisions/revisions.ts"
import { metadataOf, startMillis } from "./storedObjects.ts"
import type { ObjectOptions } from "./storedObjects.ts"
import type { DeploymentObservation } from "../../src/kubernetes/apps/deploymentObservation.ts"
import type { IntOrPercent } from "../../src/kubernetes/meta/amounts/intOrPercent.ts"
import type {
  Annotations,
  Deployment,
  DeploymentCondition,
  DeploymentStatus,
  KubeObject,
  Labels,
  PodSpec,
  PodTemplate,
  ReplicaSet,
  ReplicaSetCondition
} from "../../src/kubernetes/meta/objects.ts"

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

export interface DeploymentOptions extends ObjectOptions {
  readonly replicas?: number
  readonly strategy?: string
  readonly surge?: IntOrPercent | undefined
  readonly unavailable?: IntOrPercent | undefined
  /** The version of the image: `v3` by default. */
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

export interface ReplicaSetOptions extends ObjectOptions {
  readonly replicas?: number
  /** What its status reports; as many as asked for, all of them good, where nothing is said. */
  readonly pods?: number
  readonly ready?: number
  readonly available?: number
  readonly terminatingPods?: number
  readonly observedGeneration?: number
  readonly conditions?: ReadonlyArray<ReplicaSetCondition>
  /** The version of the image, and of the name `web-v1` where no name is given. `v1` by default. */
  readonly version?: string
  readonly template?: PodTemplate
  readonly minReadySeconds?: number
  readonly revision?: string
  /** Its annotations with its Deployment's replicas, and with those and the surge. */
  readonly annotatedSize?: { readonly desired: number; readonly max: number }
  /** Its controller; the Deployment `web` by default, none for `null`. */
  readonly owner?: KubeObject | null
}

export const aReplicaSet = (options: ReplicaSetOptions = {}): ReplicaSet => {
  const { replicas = 3, version = "v1", revision, annotatedSize, owner = web } = options
  const pods = options.pods ?? replicas
  const available = options.available ?? pods
  const annotations = {
    ...options.annotations,
    ...(revision === undefined ? {} : { [revisionAnnotation]: revision }),
    ...(annotatedSize === undefined ? {} : sizeAnnotations(annotatedSize.desired, annotatedSize.max))
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
    countUnfinishedPods: (uid) => world.unfinished?.[uid] ?? 0,
    namesake: world.namesake,
    nowMillis: startMillis + (world.now ?? 0) * 1000
  })

import type { OpenCluster } from "charthouse"
import type { Chance } from "./clusterRuns.ts"

interface State {
  readonly cluster: OpenCluster
  readonly chance: Chance
  readonly turn: number
  readonly objectsOf: (
    resource: string
  ) => Promise<ReadonlyArray<{ readonly metadata: { readonly name: string; readonly namespace?: string } }>>
}
type Act = (state: State) => unknown

const deployment = (name: string, spec: object, container: object = {}) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "default" },
  spec: {
    replicas: 6,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "app", image: "registry.example/app:v1", ...container }] }
    },
    ...spec
  }
})

export const manifests: ReadonlyArray<object> = [
  deployment(
    "web",
    { strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: "30%" } }, minReadySeconds: 2 },
    {
      ports: [{ containerPort: 80, name: "http" }],
      readinessProbe: { httpGet: { path: "/", port: 80 }, periodSeconds: 2 },
      livenessProbe: { httpGet: { path: "/live", port: 80 }, periodSeconds: 5 },
      lifecycle: { preStop: { sleep: { seconds: 2 } } }
    }
  ),
  deployment("shop", { replicas: 3, strategy: { type: "Recreate" }, progressDeadlineSeconds: 60 }),
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "default" },
    spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: "http" }] }
  },
  {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "web", namespace: "default" },
    spec: { minAvailable: "60%", selector: { matchLabels: { app: "web" } } }
  },
  {
    apiVersion: "v1",
    kind: "LimitRange",
    metadata: { name: "limits", namespace: "default" },
    spec: { limits: [{ type: "Container", defaultRequest: { cpu: "100m", memory: "64Mi" } }] }
  },
  {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "quota", namespace: "default" },
    spec: { hard: { pods: "24", "requests.cpu": "2400m" } }
  }
]

const web = { resource: "deployments.apps", name: "web" } as never
const shop = { resource: "deployments.apps", name: "shop" } as never
const oneOf = ({ chance }: State): never => (chance.below(3) === 0 ? shop : web)

const withImage = (tag: string) => [
  { op: "replace", path: "/spec/template/spec/containers/0/image", value: `registry.example/app:${tag}` }
]

const removeOne = async (state: State, resource: string): Promise<unknown> => {
  const objects = await state.objectsOf(resource)
  if (objects.length === 0) return undefined
  const { name } = state.chance.of(objects).metadata
  return state.cluster.delete({ resource, name })
}

const setImage: Act = (state) => state.cluster.patch(oneOf(state), withImage(`v${1 + state.chance.below(7)}`))
const scale: Act = (state) =>
  state.cluster.patch(oneOf(state), { spec: { replicas: state.chance.below(12) } })
const pause: Act = (state) => state.cluster.patch(oneOf(state), { spec: { paused: true } })
const resume: Act = (state) => state.cluster.patch(oneOf(state), { spec: { paused: false } })
const changeStrategy: Act = (state) =>
  state.cluster.patch(oneOf(state), {
    spec: {
      strategy:
        state.chance.below(2) === 0
          ? { type: "Recreate", rollingUpdate: null }
          : {
              type: "RollingUpdate",
              rollingUpdate: { maxSurge: state.chance.below(4), maxUnavailable: "40%" }
            }
    }
  })
const deletePod: Act = (state) => removeOne(state, "pods")
const deleteReplicaSet: Act = (state) => removeOne(state, "replicasets.apps")
const orphanReplicaSets: Act = (state) =>
  state.chance.below(3) > 0
    ? undefined
    : state.cluster.delete(oneOf(state), { propagationPolicy: "Orphan" } as never)
const applyAgain: Act = ({ cluster }) => cluster.apply(manifests as never)
const relabelPod: Act = async (state) => {
  const pods = await state.objectsOf("pods")
  if (pods.length === 0) return undefined
  const { name } = state.chance.of(pods).metadata
  return state.cluster.patch({ resource: "pods", name }, { metadata: { labels: { app: "other" } } })
}
const stopKubelet: Act = ({ cluster, chance }) => cluster.setKubelet(`node-${1 + chance.below(4)}`, "stopped")
const startKubelet: Act = ({ cluster, chance }) =>
  cluster.setKubelet(`node-${1 + chance.below(4)}`, "running")
const passTime: Act = ({ cluster }) => cluster.advance("11m")
const settle: Act = ({ cluster }) => cluster.settle("5m")
const invalidWrite: Act = (state) =>
  state.cluster.patch(oneOf(state), { spec: { replicas: -1, selector: { matchLabels: { app: "x" } } } })
const note: Act = ({ cluster, turn }) => cluster.note(`note ${turn}`)

export const randomWrites: ReadonlyArray<Act> = [
  setImage,
  setImage,
  setImage,
  scale,
  scale,
  pause,
  resume,
  resume,
  changeStrategy,
  deletePod,
  deletePod,
  deleteReplicaSet,
  orphanReplicaSets,
  applyAgain,
  applyAgain,
  relabelPod,
  stopKubelet,
  startKubelet,
  startKubelet,
  passTime,
  settle,
  invalidWrite,
  note
]

const fault =
  (name: string, fields: (state: State) => object): Act =>
  (state) =>
    state.cluster
      .fault({ fault: name, for: `${1 + state.chance.below(20)}s`, ...fields(state) } as never)
      .then((begun) => ({ id: begun.id, met: begun.met }))
const pods = ({ chance }: State) => ({ pods: { deployment: "web", count: 1 + chance.below(3) } })
const node = ({ chance }: State) => ({ node: `node-${1 + chance.below(4)}` })
const controllers = ["deployment", "replicaSet", "pod", "node", "scheduler", "garbageCollector", "endpoints"]
const controller = ({ chance }: State) => ({ controller: chance.of(controllers) })
const of = ({ chance }: State) => ({ of: chance.of([...controllers, "controllers", "clients"]) })

export const randomFaults: ReadonlyArray<Act> = [
  fault("crash", (state) => ({ ...pods(state), exitCode: 137, reason: "OOMKilled" })),
  fault("fail", pods),
  fault("kill", (state) => ({ ...pods(state), gracePeriodSeconds: state.chance.below(3) })),
  fault("flap", (state) => ({ ...pods(state), ready: "2s", unready: "1s" })),
  fault("hang", pods),
  fault("slowStart", (state) => ({ ...pods(state), by: "4s" })),
  fault("pullFails", () => ({ image: "*:v2", error: "manifest unknown" })),
  fault("nodeLost", node),
  fault("nodeDrained", node),
  fault("nodeCordoned", node),
  fault("nodeFull", node),
  fault("quotaExhausted", () => ({})),
  fault("controllerStopped", controller),
  fault("controllerSlow", (state) => ({ ...controller(state), by: "400ms" })),
  fault("controllerRestarted", (state) => ({ ...controller(state), afterWrites: state.chance.below(3) })),
  fault("writesRefused", (state) => ({
    ...of(state),
    code: state.chance.of([409, 429, 500, 504]),
    times: 3
  })),
  fault("writesSlow", (state) => ({ ...of(state), by: "300ms" })),
  fault("watchLate", (state) => ({ ...of(state), by: "1500ms" })),
  fault("watchDropped", of),
  fault("watchRepeated", of),
  fault("staleReads", of),
  fault("clockJump", () => ({ by: "30s", for: undefined })),
  fault("unknown", () => ({}))
]

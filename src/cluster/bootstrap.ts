import * as Effect from "effect/Effect"
import { apiServerManager, kubeletManager } from "../kubernetes/apply/managedFields/fieldManagers.ts"
import { deepFreeze } from "../kubernetes/meta/deepFreeze.ts"
import { makeNameGenerator } from "../store/writes/nameGenerator.ts"
import { standardStorageClass } from "../kubernetes/storage/storageClasses.ts"
import { timestampOf } from "../kubernetes/meta/amounts/timestamps.ts"
import type { StorageClass } from "../kubernetes/storage/storageTypes.ts"
import type { Draft } from "../kubernetes/meta/objects.ts"
import type { StoreError } from "../store/storeErrors.ts"
import type { ObjectStore } from "../store/objectStore.ts"

export interface NodeShape {
  /** Most Pods of a node; 110 by default. */
  readonly pods?: number
  /** Quantity of cores; `32` by default. */
  readonly cpu?: string
  /** Quantity of bytes; `128Gi` by default. */
  readonly memory?: string
  readonly labels?: Readonly<Record<string, string>>
}

export const initialNamespaces = ["default", "kube-system", "kube-public", "kube-node-lease"]

const defaultShape = { pods: 110, cpu: "32", memory: "128Gi" }

export const bootstrapStore = Effect.fnUntraced(function* (
  store: ObjectStore["Service"],
  nodes: { readonly count: number } & NodeShape
): Effect.fn.Return<void, StoreError> {
  for (const name of initialNamespaces) {
    yield* store.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, asApiServer)
  }
  for (const draft of apiServerDrafts()) yield* store.create(draft, asApiServer)
  for (let index = 1; index <= nodes.count; index += 1)
    yield* store.create(nodeDraft(`node-${index}`, index, nodes), { manager: kubeletManager })
})

/** The class `standard`. It exists before the first write, and so changes no version and no name of other objects. */
export const initialStorageClasses = (seed: number, nowMillis: number): ReadonlyArray<StorageClass> => {
  const metadata = {
    ...standardStorageClass.metadata,
    uid: makeNameGenerator(seed + storageClassSeed).uid(),
    resourceVersion: "1",
    creationTimestamp: timestampOf(nowMillis)
  }
  return [deepFreeze({ ...standardStorageClass, metadata })]
}

/** Far from the seeds of the store's own generators. */
const storageClassSeed = 0x73746f72

const asApiServer = { manager: apiServerManager }

const apiServerDrafts = (): ReadonlyArray<Draft> => {
  const metadata = { name: "kubernetes", namespace: "default" }
  const port = { name: "https", port: 6443, protocol: "TCP" }
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { ...metadata, labels: { component: "apiserver", provider: "kubernetes" } },
      spec: {
        clusterIP: "10.96.0.1",
        ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: port.port }]
      }
    } as Draft,
    {
      apiVersion: "v1",
      kind: "Endpoints",
      metadata: { ...metadata, labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
      subsets: [{ addresses: [{ ip: apiServerAddress }], ports: [port] }]
    } as Draft,
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { ...metadata, labels: { "kubernetes.io/service-name": metadata.name } },
      addressType: "IPv4",
      endpoints: [{ addresses: [apiServerAddress], conditions: { ready: true } }],
      ports: [port]
    } as Draft
  ]
}

/** Outside of the addresses of nodes, which begin at 172.18.0.1. */
const apiServerAddress = "172.18.255.254"

const nodeDraft = (
  name: string,
  index: number,
  shape: NodeShape
): Draft & { readonly spec: object; readonly status: object } => {
  const { pods, cpu, memory } = { ...defaultShape, ...shape }
  const amounts = { cpu, memory, pods: String(pods), "ephemeral-storage": "100Gi" }
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", ...shape.labels }
    },
    spec: {},
    status: {
      capacity: amounts,
      allocatable: amounts,
      addresses: [
        { type: "InternalIP", address: `172.18.${index >> 8}.${index & 255}` },
        { type: "Hostname", address: name }
      ],
      nodeInfo: {
        architecture: "amd64",
        bootID: "",
        containerRuntimeVersion: "charthouse://1",
        kernelVersion: "",
        kubeProxyVersion: "",
        kubeletVersion: "v1.36.2",
        machineID: "",
        operatingSystem: "linux",
        osImage: "",
        systemUUID: ""
      }
    }
  }
}

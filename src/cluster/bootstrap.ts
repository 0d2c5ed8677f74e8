import * as Effect from "effect/Effect"
import { apiServerManager, kubeletManager } from "../kubernetes/apply/managedFields/fieldManagers.ts"
import { deepFreeze } from "../kubernetes/meta/deepFreeze.ts"
import { makeNameGenerator } from "../store/writes/nameGenerator.ts"
import { standardStorageClass } from "../kubernetes/storage/storageClasses.ts"
import { timestampOf } from "../kubernetes/meta/amounts/timestamps.ts"
import { nodeDrafts } from "./nodeDrafts.ts"
import type { NodesToRegister } from "./nodeDrafts.ts"
import type { StorageClass } from "../kubernetes/storage/storageTypes.ts"
import type { Draft } from "../kubernetes/meta/objects.ts"
import type { StoreError } from "../store/storeErrors.ts"
import type { ObjectStore } from "../store/objectStore.ts"

export const initialNamespaces = ["default", "kube-system", "kube-public", "kube-node-lease"]

export const bootstrapStore = Effect.fnUntraced(function* (
  store: ObjectStore["Service"],
  nodes: NodesToRegister
): Effect.fn.Return<void, StoreError> {
  for (const name of initialNamespaces) {
    yield* store.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, asApiServer)
  }
  for (const draft of apiServerDrafts()) yield* store.create(draft, asApiServer)
  for (const draft of nodeDrafts(nodes)) yield* store.create(draft, { manager: kubeletManager })
})

/** These objects get into the store without a write, so that other objects keep their versions, names and uids. */
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

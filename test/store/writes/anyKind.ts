import { aStore, run } from "../testStore.ts"
import type { LooseDraft } from "../../builders.ts"
import type { KubeObject } from "../../../src/kubernetes/meta/objects.ts"

/** A draft of `apiVersion Kind` with these fields. */
export const draftOf = (type: string, fields: object, name = "a"): LooseDraft => {
  const [apiVersion = "", kind = ""] = type.split(" ")
  const { metadata = {}, ...others } = fields as { readonly metadata?: object }
  const namespace = clusterScoped.has(kind) ? {} : { namespace: "shop" }
  return { apiVersion, kind, metadata: { name, ...namespace, ...metadata }, ...others } as LooseDraft
}

const clusterScoped = new Set([
  "APIService",
  "CSIDriver",
  "DeviceClass",
  "FlowSchema",
  "IngressClass",
  "MutatingWebhookConfiguration",
  "PersistentVolume",
  "PriorityClass",
  "PriorityLevelConfiguration",
  "ResourceSlice",
  "ServiceCIDR",
  "StorageClass",
  "ValidatingAdmissionPolicy",
  "ValidatingWebhookConfiguration",
  "VolumeAttachment"
])

export const storedAs = (type: string, fields: object): KubeObject =>
  run(aStore().store.create(draftOf(type, fields)))

export const container = { name: "c", image: "x:1" }
export const podTemplate = {
  metadata: { labels: { app: "a" } },
  spec: { containers: [container], restartPolicy: "Never" }
}
export const webhook = {
  name: "a.example.com",
  clientConfig: { service: { namespace: "shop", name: "hook" } },
  rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
  sideEffects: "None",
  admissionReviewVersions: ["v1"]
}

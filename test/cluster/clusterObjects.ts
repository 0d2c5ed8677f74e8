import type { Draft } from "../../src/kubernetes/meta/objects.ts"

export const aNamespace = (name: string, metadata: Draft["metadata"] = {}): Draft => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, ...metadata }
})

/** A Service of port 80 in namespace `default`, for the Pods of `web`. */
export const aService = (spec: object = {}, name = "web") =>
  ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "default" },
    spec: { selector: { app: "web" }, ports: [{ port: 80 }], ...spec }
  }) as Draft

/** A PodDisruptionBudget in namespace `default`, for the Pods of `web`. */
export const aBudget = (spec: object, name = "web") =>
  ({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace: "default" },
    spec: { selector: { matchLabels: { app: "web" } }, ...spec }
  }) as Draft

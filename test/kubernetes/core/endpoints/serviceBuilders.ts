import { anObject, aPod } from "../../../builders.ts"
import type { EndpointSlice, Service } from "../../../../src/kubernetes/core/endpoints.ts"
import type { Draft, Labels, Pod } from "../../../../src/kubernetes/meta/objects.ts"

/** A Service `web` that selects `app=web` and has the port 80. */
export const aService = (spec: object = {}, labels: Labels = { app: "web" }): Service =>
  anObject(
    "Service",
    { name: "web", labels },
    {
      spec: {
        selector: { app: "web" },
        clusterIP: "10.96.1.3",
        ports: [{ port: 80, protocol: "TCP" }],
        ...spec
      }
    }
  )

export const aReachablePod = (
  name: string,
  podIP = "10.244.0.3",
  more: { readonly ready?: boolean; readonly phase?: string; readonly spec?: object } = {}
): Pod => {
  const pod = aPod({ name, ready: true, ...more })
  return { ...pod, status: { ...pod.status, podIP } }
}

export const aStoredSlice = (draft: Draft, name: string): EndpointSlice =>
  ({ ...draft, metadata: { ...aPod({ name }).metadata, ...draft.metadata, name } }) as EndpointSlice

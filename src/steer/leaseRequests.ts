import { isFailureCode, toClientError } from "../client/statusErrors.ts"
import { steeringManager } from "../kubernetes/steering/steeringNames.ts"
import type { ApiConnection } from "../client/apiConnection.ts"
import type { HttpRequest } from "../client/requestSender.ts"
import type { LeaseObject, LeaseRequests } from "../client/leaderElection.ts"

const resource = "leases.coordination.k8s.io"

export const leaseRequests = (
  { request }: Pick<ApiConnection, "request">,
  {
    namespace,
    name,
    onServerTime
  }: {
    readonly namespace: string
    readonly name: string
    readonly onServerTime: (serverMillis: number) => void
  }
): LeaseRequests => {
  const send = async (httpRequest: HttpRequest, signal: AbortSignal): Promise<LeaseObject> => {
    // The leader election itself tries again.
    const response = await request(httpRequest, { signal, retriesMax: 0 })
    if (response.serverMillis !== undefined) onServerTime(response.serverMillis)
    if (isFailureCode(response)) throw toClientError(response, { resource, name })
    const lease = response.body as LeaseObject
    return lease.spec === undefined ? { ...lease, spec: {} } : lease
  }
  const collectionPath = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`
  const leasePath = `${collectionPath}/${encodeURIComponent(name)}`
  const managerQuery = `?fieldManager=${steeringManager}`
  const typeMeta = { apiVersion: "coordination.k8s.io/v1", kind: "Lease" }
  return {
    get: (signal) => send({ path: leasePath }, signal),
    create: (spec, signal) =>
      send(
        {
          method: "POST",
          path: `${collectionPath}${managerQuery}`,
          body: { ...typeMeta, metadata: { name, namespace }, spec }
        },
        signal
      ),
    update: (lease, signal) =>
      send({ method: "PUT", path: `${leasePath}${managerQuery}`, body: { ...lease, ...typeMeta } }, signal)
  }
}

import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { imageOf } from "../steering/steeredShop.ts"
import { isSteeredAs, openSteeredNamespace } from "./steeredNamespace.ts"
import { openSteerTarget, requestOnce, upstreamKubeconfig } from "./steerTarget.ts"
import { readKubeContext } from "../../src/client/kubeContext.ts"
import type { HttpRequest } from "../../src/client/requestSender.ts"
import type { KubeContext } from "../../src/client/kubeContext.ts"
import type { SteerTarget } from "./steerTarget.ts"
import type { SteeredNamespace } from "./steeredNamespace.ts"

const send = async (context: KubeContext, request: HttpRequest): Promise<number> =>
  (await requestOnce(context, request)).code

/** Whether the server has Roles at all: one of this project accepts every token that it has given. */
const hasRoles =
  upstreamKubeconfig !== undefined &&
  (await send(readKubeContext({ path: upstreamKubeconfig, env: {} }), {
    path: "/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin"
  })) === 200

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "own" },
  spec: { containers: [{ name: "own", image: "web:1" }] }
}

describe.skipIf(!hasRoles)("the Role that steer manifests prints", () => {
  let target: SteerTarget
  let place: SteeredNamespace
  beforeAll(async () => {
    target = await openSteerTarget()
    place = await openSteeredNamespace(target)
    await place.steer()
    await place.create("automaticRollback: { cannotStart: 1s }", { replicas: 2 })
  })
  afterAll(async () => {
    await place[Symbol.asyncDispose]()
    await target.close()
  })

  it("suffices to take a revision back", async () => {
    await place.until("the first revision is complete", isSteeredAs("Complete", "revision 1 "))
    await place.setImage("web:bad")
    const back = await place.until("it is taken back", isSteeredAs("RolledBack"))
    expect(imageOf(back)).toBe("web:1")
  })

  const inNamespace = (path: string): string => path.replace("NAMESPACE", place.name)
  const core = "/api/v1/namespaces/NAMESPACE"
  const apps = "/apis/apps/v1/namespaces/NAMESPACE"
  const leases = "/apis/coordination.k8s.io/v1/namespaces/NAMESPACE/leases"

  it.each([
    { may: "see its Deployments", method: "GET", path: `${apps}/deployments` },
    { may: "see its Lease", method: "GET", path: `${leases}/charthouse-steer` }
  ])("lets it $may", async ({ method, path }) => {
    expect(await send(place.leastRights, { method, path: inNamespace(path) })).toBe(200)
  })

  it.each([
    { mustNot: "read a Secret", method: "GET", path: `${core}/secrets` },
    { mustNot: "read a ConfigMap", method: "GET", path: `${core}/configmaps` },
    { mustNot: "create a Pod", method: "POST", path: `${core}/pods`, body: pod },
    { mustNot: "change a Pod's spec", method: "PUT", path: `${core}/pods/own`, body: pod },
    { mustNot: "delete a Pod", method: "DELETE", path: `${core}/pods/own` },
    { mustNot: "evict a Pod", method: "POST", path: `${core}/pods/own/eviction`, body: {} },
    { mustNot: "run something in a Pod", method: "POST", path: `${core}/pods/own/exec?command=id` },
    { mustNot: "delete a Deployment", method: "DELETE", path: `${apps}/deployments/web` },
    { mustNot: "scale a Deployment", method: "PUT", path: `${apps}/deployments/web/scale`, body: {} },
    { mustNot: "create a ReplicaSet", method: "POST", path: `${apps}/replicasets`, body: {} },
    { mustNot: "take another Lease", method: "PUT", path: `${leases}/another`, body: {} },
    { mustNot: "see Pods of another namespace", method: "GET", path: "/api/v1/namespaces/default/pods" },
    { mustNot: "see the Pods of all namespaces", method: "GET", path: "/api/v1/pods" },
    {
      mustNot: "approve a Pod of another namespace",
      method: "PUT",
      path: "/api/v1/namespaces/default/pods/own/status",
      body: pod
    },
    {
      mustNot: "give itself rights",
      method: "POST",
      path: "/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/rolebindings",
      body: {}
    }
  ])("does not let it $mustNot", async ({ method, path, body }) => {
    const request = { method, path: inNamespace(path), ...(body === undefined ? {} : { body }) }
    expect(await send(place.leastRights, request)).toBe(403)
  })
})

import {
  AppsV1Api,
  CoreV1Api,
  createConfiguration,
  KubeConfig,
  ResponseContext,
  ServerConfiguration,
  wrapHttpLibrary
} from "@kubernetes/client-node"
import { describe, expect, it } from "vitest"
import { openCluster } from "../../src/index.ts"
import { aDeployment, aConfigMap } from "../server/apiObjects.ts"
import { patchContentType, refusalOf } from "./clientNodeConnection.ts"
import type { Configuration, RequestContext } from "@kubernetes/client-node"
import type { OpenCluster } from "../../src/index.ts"

/** The configuration of a client whose requests go to this `fetch` in place of the network. */
const configurationWith = (fetch: OpenCluster["fetch"]): Configuration => {
  const config = new KubeConfig()
  config.loadFromClusterAndUser(
    { name: "none", server: "https://k8s.test:6443", skipTLSVerify: true },
    { name: "tester", token: "of-the-kubeconfig" }
  )
  const send = async (request: RequestContext): Promise<ResponseContext> => {
    const body = request.getBody() as string | undefined
    const response = await fetch(request.getUrl(), {
      method: request.getHttpMethod(),
      headers: request.getHeaders(),
      ...(body === undefined ? {} : { body })
    })
    const text = response.text()
    return new ResponseContext(response.status, Object.fromEntries(response.headers), {
      text: () => text,
      binary: async () => Buffer.from(await text),
      stream: () => response.body
    })
  }
  return createConfiguration({
    baseServer: new ServerConfiguration("https://k8s.test:6443", {}),
    authMethods: { default: config },
    httpApi: wrapHttpLibrary({ send })
  })
}

describe("the published client with the fetch of a cluster", () => {
  it("creates, patches, lists and deletes, and a rollout completes", async () => {
    await using cluster = await openCluster()
    const configuration = configurationWith(cluster.fetch)
    const apps = new AppsV1Api(configuration)
    const inDefault = { namespace: "default" }
    await apps.createNamespacedDeployment({ ...inDefault, body: aDeployment() })
    expect((await cluster.rollout("web")).outcome).toBe("complete")
    await apps.patchNamespacedDeployment(
      { ...inDefault, name: "web", body: { spec: { replicas: 5 } } },
      patchContentType.strategic
    )
    await cluster.settle()
    const { items } = await new CoreV1Api(configuration).listNamespacedPod(inDefault)
    expect(items.filter(({ status }) => status?.phase === "Running")).toHaveLength(5)
    await apps.deleteNamespacedDeployment({ ...inDefault, name: "web" })
    expect(cluster.requests.all().map(({ verb, resource, code }) => [verb, resource, code])).toEqual([
      ["create", "deployments.apps", 201],
      ["patch", "deployments.apps", 200],
      ["list", "pods", 200],
      ["delete", "deployments.apps", 200]
    ])
  })

  it("gets the refusals of the API", async () => {
    await using cluster = await openCluster()
    const core = new CoreV1Api(configurationWith(cluster.fetch))
    const create = () => core.createNamespacedConfigMap({ namespace: "default", body: aConfigMap("a") })
    await create()
    expect(await refusalOf(create())).toMatchObject({ code: 409, reason: "AlreadyExists" })
  })
})

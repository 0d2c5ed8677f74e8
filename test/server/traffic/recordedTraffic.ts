import { startCluster } from "../../../src/testing/testing.ts"
import type { StartedServer, StartOptions } from "../../../src/testing/testing.ts"
import type { Json } from "../testServer.ts"

export interface ServedTraffic extends StartedServer {
  readonly ask: (
    method: string,
    path: string,
    options?: {
      readonly body?: unknown
      readonly type?: string
      readonly agent?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  ) => Promise<{ readonly code: number; readonly json: Json; readonly retryAfter: string | null }>
}

export const openTraffic = async (options: StartOptions = {}): Promise<ServedTraffic> => {
  const started = await startCluster({ ...options, serve: { token } })
  const ask: ServedTraffic["ask"] = async (
    method,
    path,
    { body, type = "application/json", agent, headers } = {}
  ) => {
    const response = await fetch(`${started.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...headers,
        ...(body === undefined ? {} : { "content-type": type }),
        ...(agent === undefined ? {} : { "user-agent": agent })
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
    })
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true
    return {
      code: response.status,
      json: isJson ? JSON.parse(text) : text,
      retryAfter: response.headers.get("retry-after")
    }
  }
  return { ...started, ask }
}

const token = "a-token"

export const paths = {
  configMaps: "/api/v1/namespaces/default/configmaps",
  secrets: "/api/v1/namespaces/default/secrets",
  pods: "/api/v1/namespaces/default/pods",
  deployments: "/apis/apps/v1/namespaces/default/deployments"
} as const

export const configMap = (name: string, data: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data
})

export const web = (replicas: number) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: "registry.example/web:1.0" }] }
    }
  }
})

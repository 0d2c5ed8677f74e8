import { kindNamed } from "../../../builders.ts"
import type { Fields } from "../../../../src/kubernetes/meta/fields.ts"
import { describe, expect, it } from "vitest"
import { threeWayMerge } from "../../../../src/kubernetes/apply/patches/threeWayMerge.ts"
import { valueAt, deepFrozen } from "../../admission/drafts.ts"

interface Row {
  readonly why: string
  readonly original?: Fields
  readonly modified: Fields
  readonly current: Fields
  readonly merged: Fields
}

const mergedAs = (kind: string, { original, modified, current }: Omit<Row, "merged" | "why">): Fields =>
  threeWayMerge({
    kind: kindNamed(kind),
    original: deepFrozen(original),
    modified: deepFrozen(modified),
    current: deepFrozen(current)
  })

describe("maps in a three-way merge", () => {
  it.each<Row>([
    {
      why: "keep what the manifest does not mention, such as replicas set by a scale",
      original: { spec: { paused: true } },
      modified: { spec: { paused: true } },
      current: { spec: { paused: true, replicas: 7 }, status: { replicas: 5 } },
      merged: { spec: { paused: true, replicas: 7 }, status: { replicas: 5 } }
    },
    {
      why: "lose what the last manifest had and this one does not",
      original: { spec: { replicas: 3, minReadySeconds: 9 } },
      modified: { spec: { replicas: 3 } },
      current: { spec: { replicas: 7, minReadySeconds: 9, paused: false } },
      merged: { spec: { replicas: 3, paused: false } }
    },
    {
      why: "lose nothing without a last manifest",
      modified: { spec: { replicas: 3 } },
      current: { spec: { replicas: 7, minReadySeconds: 9 } },
      merged: { spec: { replicas: 3, minReadySeconds: 9 } }
    },
    {
      why: "lose a whole branch with the fields of other clients",
      original: { metadata: { annotations: { team: "a" } }, spec: {} },
      modified: { metadata: {}, spec: {} },
      current: { metadata: { annotations: { team: "a", seen: "1" } }, spec: {} },
      merged: { metadata: {}, spec: {} }
    },
    {
      why: "keep fields of other clients in an empty map of the manifest",
      original: { metadata: { annotations: { team: "a" } } },
      modified: { metadata: { annotations: {} } },
      current: { metadata: { annotations: { team: "a", seen: "1" } } },
      merged: { metadata: { annotations: { seen: "1" } } }
    },
    {
      why: "lose null fields, whichever client set them",
      modified: { spec: { replicas: null, paused: null }, metadata: { labels: { app: "web", tier: null } } },
      current: { spec: { replicas: 7 } },
      merged: { spec: {}, metadata: { labels: { app: "web" } } }
    },
    {
      why: "get back what was removed meanwhile",
      original: { metadata: { labels: { app: "web" } } },
      modified: { metadata: { labels: { app: "web" } } },
      current: { metadata: {} },
      merged: { metadata: { labels: { app: "web" } } }
    },
    {
      why: "treat inherited names as ordinary keys",
      original: { metadata: { labels: {} } },
      modified: { metadata: { labels: { constructor: "a" } } },
      current: { metadata: { labels: { toString: "b" } } },
      merged: { metadata: { labels: { toString: "b", constructor: "a" } } }
    }
  ])("$why", ({ merged, ...sides }) => {
    expect(mergedAs("Deployment", sides)).toEqual(merged)
  })

  it("treat __proto__ as an ordinary key", () => {
    const data = (value: string): Fields => ({ data: JSON.parse(`{"__proto__": "${value}", "k": "v"}`) })
    const merged = mergedAs("ConfigMap", { modified: data("new"), current: data("old") })
    expect(JSON.stringify(merged)).toBe('{"data":{"__proto__":"new","k":"v"}}')
  })
})

const podSpec = (spec: Fields): Fields => ({ spec: { template: { spec } } })

/** `app=v3 proxy=v1` */
const containers = (text: string): Fields =>
  podSpec({
    containers: text
      .split(" ")
      .filter(Boolean)
      .map((part) => {
        const [name, image] = part.split("=")
        return image === undefined ? { name } : { name, image }
      })
  })

const containersText = (object: Fields): string => {
  const list = valueAt(object, "spec.template.spec.containers")
  if (!Array.isArray(list)) return String(list)
  return list.map((it) => `${String(valueAt(it, "name"))}=${String(valueAt(it, "image"))}`).join(" ")
}

describe("containers in a three-way merge", () => {
  it.each([
    { original: "app=v3", modified: "app=v4", current: "app=v3", merged: "app=v4", why: "a new image" },
    {
      original: "app=v3",
      modified: "app=v3",
      current: "app=v3 proxy=v1",
      merged: "app=v3 proxy=v1",
      why: "an added container of another client stays"
    },
    {
      original: "app=v3",
      modified: "app=v4",
      current: "proxy=v1 app=v3",
      merged: "proxy=v1 app=v4",
      why: "an added container in front stays there, or every apply would start a rollout"
    },
    {
      original: "app=v3 log=v2",
      modified: "app=v3",
      current: "proxy=v1 app=v3 log=v2",
      merged: "proxy=v1 app=v3",
      why: "a container that the manifest dropped goes"
    },
    {
      original: "app=v3",
      modified: "log=v2 app=v3",
      current: "app=v3 proxy=v1",
      merged: "log=v2 app=v3 proxy=v1",
      why: "a new container goes to its place in the manifest"
    },
    {
      original: "a=v1 b=v1",
      modified: "b=v1 a=v1",
      current: "a=v1 proxy=v1 b=v1",
      merged: "proxy=v1 b=v1 a=v1",
      why: "the order follows the manifest, others stay before their successor"
    },
    {
      original: "app=v3",
      modified: "app",
      current: "app=v3",
      merged: "app=undefined",
      why: "a field that the manifest dropped goes"
    },
    {
      original: "",
      modified: "app",
      current: "app=v9",
      merged: "app=v9",
      why: "a field that the manifest never had stays"
    },
    {
      original: "app=v3",
      modified: "app=v4 app=v5",
      current: "app=v3 proxy=v1",
      merged: "app=v4 app=v5",
      why: "a repeated name replaces the list, which the server rejects"
    },
    {
      original: "app=v3",
      modified: "",
      current: "app=v3 proxy=v1",
      merged: "proxy=v1",
      why: "an empty list drops the manifest's containers"
    }
  ])("$original, $modified into $current: $why", ({ original, modified, current, merged }) => {
    const result = mergedAs("Deployment", {
      original: containers(original),
      modified: containers(modified),
      current: containers(current)
    })
    expect(containersText(result)).toBe(merged)
  })
})

describe("other lists in a three-way merge", () => {
  it.each<Row & { readonly kind?: string }>([
    {
      why: "tolerations are atomic",
      original: podSpec({ tolerations: [{ key: "a" }] }),
      modified: podSpec({ tolerations: [{ key: "a" }] }),
      current: podSpec({ tolerations: [{ key: "a" }, { key: "b" }] }),
      merged: podSpec({ tolerations: [{ key: "a" }] })
    },
    {
      why: "finalizers are a set: those of other clients stay, dropped ones go",
      original: { metadata: { finalizers: ["a.io/x", "a.io/y"] } },
      modified: { metadata: { finalizers: ["a.io/x"] } },
      current: { metadata: { finalizers: ["b.io/z", "a.io/y", "a.io/x"] } },
      merged: { metadata: { finalizers: ["b.io/z", "a.io/x"] } }
    },
    {
      why: "ports with one number and two protocols replace the list",
      modified: podSpec({
        containers: [
          {
            name: "dns",
            ports: [
              { containerPort: 53, protocol: "UDP" },
              { containerPort: 53, protocol: "TCP" }
            ]
          }
        ]
      }),
      current: podSpec({
        containers: [
          { name: "dns", ports: [{ containerPort: 53, protocol: "UDP" }, { containerPort: 9153 }] }
        ]
      }),
      merged: podSpec({
        containers: [
          {
            name: "dns",
            ports: [
              { containerPort: 53, protocol: "UDP" },
              { containerPort: 53, protocol: "TCP" }
            ]
          }
        ]
      })
    },
    {
      why: "a Service's ports have their own merge key",
      kind: "Service",
      modified: { spec: { ports: [{ port: 80, targetPort: 8080 }] } },
      current: { spec: { ports: [{ port: 443 }, { port: 80, protocol: "TCP" }] } },
      merged: { spec: { ports: [{ port: 443 }, { port: 80, protocol: "TCP", targetPort: 8080 }] } }
    },
    {
      why: "a NetworkPolicy's ports have no merge key",
      kind: "NetworkPolicy",
      modified: { spec: { ingress: [{ ports: [{ port: 80 }] }] } },
      current: { spec: { ingress: [{ ports: [{ port: 80, protocol: "TCP" }] }] } },
      merged: { spec: { ingress: [{ ports: [{ port: 80 }] }] } }
    },
    {
      why: "mounts are merged by path, variables by name",
      original: podSpec({ containers: [{ name: "app", volumeMounts: [{ mountPath: "/a", name: "v" }] }] }),
      modified: podSpec({
        containers: [
          { name: "app", volumeMounts: [{ mountPath: "/b", name: "v" }], env: [{ name: "A", value: "1" }] }
        ]
      }),
      current: podSpec({
        containers: [
          {
            name: "app",
            volumeMounts: [
              { mountPath: "/a", name: "v" },
              { mountPath: "/token", name: "t" }
            ],
            env: [{ name: "B", value: "2" }]
          }
        ]
      }),
      merged: podSpec({
        containers: [
          {
            name: "app",
            volumeMounts: [
              { mountPath: "/b", name: "v" },
              { mountPath: "/token", name: "t" }
            ],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" }
            ]
          }
        ]
      })
    },
    {
      why: "a volume loses its former source",
      modified: podSpec({ volumes: [{ name: "v", configMap: { name: "c" } }] }),
      current: podSpec({
        volumes: [
          { name: "v", emptyDir: {} },
          { name: "token", secret: {} }
        ]
      }),
      merged: podSpec({
        volumes: [
          { name: "v", configMap: { name: "c" } },
          { name: "token", secret: {} }
        ]
      })
    },
    {
      why: "an empty list is kept",
      modified: podSpec({ volumes: [] }),
      current: podSpec({}),
      merged: podSpec({ volumes: [] })
    }
  ])("$why", ({ merged, kind = "Deployment", ...sides }) => {
    expect(mergedAs(kind, sides)).toEqual(merged)
  })
})

describe("a strategy in a three-way merge", () => {
  const live = { type: "RollingUpdate", rollingUpdate: { maxSurge: "50%", maxUnavailable: 0 } }
  it.each([
    {
      strategy: { type: "Recreate" },
      merged: { type: "Recreate" },
      why: "has no rollingUpdate with Recreate"
    },
    {
      strategy: { type: "RollingUpdate" },
      merged: { type: "RollingUpdate" },
      why: "loses values of other clients, as with kubectl"
    },
    {
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 3 } },
      merged: { type: "RollingUpdate", rollingUpdate: { maxSurge: 3, maxUnavailable: 0 } },
      why: "merges the maps below it"
    },
    { strategy: undefined, merged: live, why: "stays when the manifest has none" }
  ])("$why", ({ strategy, merged }) => {
    const modified = { spec: { paused: false, ...(strategy === undefined ? {} : { strategy }) } }
    const result = mergedAs("Deployment", { modified, current: { spec: { strategy: live } } })
    expect(valueAt(result, "spec.strategy")).toEqual(merged)
  })
})

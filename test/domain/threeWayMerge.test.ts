import type { Fields } from "../../src/kubernetes/meta/fields.ts"
import { describe, expect, it } from "vitest"
import { threeWayMerge } from "../../src/kubernetes/apply/patches/threeWayMerge.ts"
import { at, frozen, kindNamed } from "./admission/drafts.ts"

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
    original: frozen(original),
    modified: frozen(modified),
    current: frozen(current)
  })

describe("maps are merged", () => {
  it.each<Row>([
    {
      why: "what the manifest does not mention stays, as a size set by scaling",
      original: { spec: { paused: true } },
      modified: { spec: { paused: true } },
      current: { spec: { paused: true, replicas: 7 }, status: { replicas: 5 } },
      merged: { spec: { paused: true, replicas: 7 }, status: { replicas: 5 } }
    },
    {
      why: "what the manifest said and says no more goes",
      original: { spec: { replicas: 3, minReadySeconds: 9 } },
      modified: { spec: { replicas: 3 } },
      current: { spec: { replicas: 7, minReadySeconds: 9, paused: false } },
      merged: { spec: { replicas: 3, paused: false } }
    },
    {
      why: "without a memory nothing goes",
      modified: { spec: { replicas: 3 } },
      current: { spec: { replicas: 7, minReadySeconds: 9 } },
      merged: { spec: { replicas: 3, minReadySeconds: 9 } }
    },
    {
      why: "a whole branch goes with what others have put into it",
      original: { metadata: { annotations: { team: "a" } }, spec: {} },
      modified: { metadata: {}, spec: {} },
      current: { metadata: { annotations: { team: "a", seen: "1" } }, spec: {} },
      merged: { metadata: {}, spec: {} }
    },
    {
      why: "an empty map that is kept keeps what others have put into it",
      original: { metadata: { annotations: { team: "a" } } },
      modified: { metadata: { annotations: {} } },
      current: { metadata: { annotations: { team: "a", seen: "1" } } },
      merged: { metadata: { annotations: { seen: "1" } } }
    },
    {
      why: "a null removes, whoever has set it",
      modified: { spec: { replicas: null, paused: null }, metadata: { labels: { app: "web", tier: null } } },
      current: { spec: { replicas: 7 } },
      merged: { spec: {}, metadata: { labels: { app: "web" } } }
    },
    {
      why: "what has gone in the meantime comes back",
      original: { metadata: { labels: { app: "web" } } },
      modified: { metadata: { labels: { app: "web" } } },
      current: { metadata: {} },
      merged: { metadata: { labels: { app: "web" } } }
    },
    {
      why: "names of Object's own methods are names like others",
      original: { metadata: { labels: {} } },
      modified: { metadata: { labels: { constructor: "a" } } },
      current: { metadata: { labels: { toString: "b" } } },
      merged: { metadata: { labels: { toString: "b", constructor: "a" } } }
    }
  ])("$why", ({ merged, ...sides }) => {
    expect(mergedAs("Deployment", sides)).toEqual(merged)
  })

  it("a key called __proto__ is merged as a key", () => {
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
  const list = at(object, "spec.template.spec.containers")
  if (!Array.isArray(list)) return String(list)
  return list.map((it) => `${String(at(it, "name"))}=${String(at(it, "image"))}`).join(" ")
}

describe("containers are merged by name", () => {
  it.each([
    { original: "app=v3", modified: "app=v4", current: "app=v3", merged: "app=v4", why: "a new image" },
    {
      original: "app=v3",
      modified: "app=v3",
      current: "app=v3 proxy=v1",
      merged: "app=v3 proxy=v1",
      why: "what something else has added stays"
    },
    {
      original: "app=v3",
      modified: "app=v4",
      current: "proxy=v1 app=v3",
      merged: "proxy=v1 app=v4",
      why: "and stays in front, or every apply would be a rollout"
    },
    {
      original: "app=v3 log=v2",
      modified: "app=v3",
      current: "proxy=v1 app=v3 log=v2",
      merged: "proxy=v1 app=v3",
      why: "what the manifest drops goes"
    },
    {
      original: "app=v3",
      modified: "log=v2 app=v3",
      current: "app=v3 proxy=v1",
      merged: "log=v2 app=v3 proxy=v1",
      why: "a new one goes where the manifest has it"
    },
    {
      original: "a=v1 b=v1",
      modified: "b=v1 a=v1",
      current: "a=v1 proxy=v1 b=v1",
      merged: "proxy=v1 b=v1 a=v1",
      why: "the manifest's order counts, and what was before b still is"
    },
    {
      original: "app=v3",
      modified: "app",
      current: "app=v3",
      merged: "app=undefined",
      why: "a field that an element no longer has goes"
    },
    {
      original: "",
      modified: "app",
      current: "app=v9",
      merged: "app=v9",
      why: "and one it never had stays"
    },
    {
      original: "app=v3",
      modified: "app=v4 app=v5",
      current: "app=v3 proxy=v1",
      merged: "app=v4 app=v5",
      why: "a list that names one twice is taken as it is, and the server refuses it"
    },
    {
      original: "app=v3",
      modified: "",
      current: "app=v3 proxy=v1",
      merged: "proxy=v1",
      why: "an empty list drops what it had"
    }
  ])("$original, $modified over $current: $why", ({ original, modified, current, merged }) => {
    const result = mergedAs("Deployment", {
      original: containers(original),
      modified: containers(modified),
      current: containers(current)
    })
    expect(containersText(result)).toBe(merged)
  })
})

describe("other lists", () => {
  it.each<Row & { readonly kind?: string }>([
    {
      why: "arguments are one value",
      original: podSpec({ tolerations: [{ key: "a" }] }),
      modified: podSpec({ tolerations: [{ key: "a" }] }),
      current: podSpec({ tolerations: [{ key: "a" }, { key: "b" }] }),
      merged: podSpec({ tolerations: [{ key: "a" }] })
    },
    {
      why: "finalizers are a set: others' stay, ours go when we drop them",
      original: { metadata: { finalizers: ["a.io/x", "a.io/y"] } },
      modified: { metadata: { finalizers: ["a.io/x"] } },
      current: { metadata: { finalizers: ["b.io/z", "a.io/y", "a.io/x"] } },
      merged: { metadata: { finalizers: ["b.io/z", "a.io/x"] } }
    },
    {
      why: "one port over two protocols has no key of its own",
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
      why: "a Service's ports have another key than a container's",
      kind: "Service",
      modified: { spec: { ports: [{ port: 80, targetPort: 8080 }] } },
      current: { spec: { ports: [{ port: 443 }, { port: 80, protocol: "TCP" }] } },
      merged: { spec: { ports: [{ port: 443 }, { port: 80, protocol: "TCP", targetPort: 8080 }] } }
    },
    {
      why: "and a NetworkPolicy's have none",
      kind: "NetworkPolicy",
      modified: { spec: { ingress: [{ ports: [{ port: 80 }] }] } },
      current: { spec: { ingress: [{ ports: [{ port: 80, protocol: "TCP" }] }] } },
      merged: { spec: { ingress: [{ ports: [{ port: 80 }] }] } }
    },
    {
      why: "mounts are known by their path, environment by its name",
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
      why: "a volume that becomes another kind of volume is no longer what it was",
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
      why: "an empty list is said to be empty",
      modified: podSpec({ volumes: [] }),
      current: podSpec({}),
      merged: podSpec({ volumes: [] })
    }
  ])("$why", ({ merged, kind = "Deployment", ...sides }) => {
    expect(mergedAs(kind, sides)).toEqual(merged)
  })
})

describe("a strategy keeps nothing but what the manifest says of it", () => {
  const live = { type: "RollingUpdate", rollingUpdate: { maxSurge: "50%", maxUnavailable: 0 } }
  it.each([
    { strategy: { type: "Recreate" }, merged: { type: "Recreate" }, why: "Recreate allows no rollingUpdate" },
    {
      strategy: { type: "RollingUpdate" },
      merged: { type: "RollingUpdate" },
      why: "numbers that others have set give way to the defaults, as with kubectl"
    },
    {
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 3 } },
      merged: { type: "RollingUpdate", rollingUpdate: { maxSurge: 3, maxUnavailable: 0 } },
      why: "below it, maps are merged again"
    },
    { strategy: undefined, merged: live, why: "without one the live strategy stays" }
  ])("$why", ({ strategy, merged }) => {
    const modified = { spec: { paused: false, ...(strategy === undefined ? {} : { strategy }) } }
    const result = mergedAs("Deployment", { modified, current: { spec: { strategy: live } } })
    expect(at(result, "spec.strategy")).toEqual(merged)
  })
})

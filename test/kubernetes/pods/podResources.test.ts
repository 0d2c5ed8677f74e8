import { describe, expect, it } from "vitest"
import {
  parseAmounts,
  podResourceAmounts,
  withPodOverhead
} from "../../../src/kubernetes/pods/podResources.ts"
import { formatQuantity } from "../../../src/kubernetes/meta/amounts/quantity.ts"
import type { AmountsByResource, PodSpecWithResources } from "../../../src/kubernetes/pods/podResources.ts"

type Texts = Readonly<Record<string, string>>

const requesting = (requests: Texts, more: object = {}) => ({ name: "c", resources: { requests }, ...more })
const sidecar = { restartPolicy: "Always" }

const textsOf = (amounts: AmountsByResource): Texts =>
  Object.fromEntries([...amounts].map(([name, quantity]) => [name, formatQuantity(quantity)]))

describe("the requests of a Pod", () => {
  it.each<{ why: string; spec: PodSpecWithResources; asks: Texts }>([
    {
      why: "are empty when no container has any",
      spec: { containers: [{ name: "c" }], initContainers: [{ name: "i" }] },
      asks: {}
    },
    {
      why: "leave out invalid quantities",
      spec: { containers: [requesting({ cpu: "two", memory: "1Mi" })] },
      asks: { memory: "1Mi" }
    },
    {
      why: "are those of containers and sidecars, where an init container needs less",
      spec: {
        initContainers: [requesting({ cpu: "2" }, sidecar), requesting({ cpu: "1" })],
        containers: [requesting({ cpu: "3" })]
      },
      asks: { cpu: "5" }
    },
    {
      why: "are those of an init container with the sidecars before it",
      spec: {
        initContainers: [
          requesting({ cpu: "2" }, sidecar),
          requesting({ cpu: "7" }),
          requesting({ cpu: "1" }, sidecar),
          requesting({ cpu: "4" })
        ],
        containers: [requesting({ cpu: "500m" })]
      },
      asks: { cpu: "9" }
    },
    {
      why: "are written like the containers' where an init container needs as much",
      spec: { initContainers: [requesting({ memory: "1024" })], containers: [requesting({ memory: "1Ki" })] },
      asks: { memory: "1Ki" }
    },
    {
      why: "are the Pod's own, for resources that a Pod can have",
      spec: {
        containers: [requesting({ cpu: "1", memory: "1Mi", "hugepages-2Mi": "2Mi", "example.com/gpu": "1" })],
        resources: {
          requests: { cpu: "3", memory: "7Mi", "hugepages-2Mi": "6Mi", "example.com/gpu": "5" }
        }
      },
      asks: { cpu: "3", memory: "7Mi", "hugepages-2Mi": "6Mi", "example.com/gpu": "1" }
    }
  ])("$why", ({ spec, asks }) => {
    expect(textsOf(podResourceAmounts(spec, "requests"))).toEqual(asks)
    expect(textsOf(podResourceAmounts(spec, "limits"))).toEqual({})
  })

  it("include the overhead, as do limits where there are any", () => {
    const spec = { containers: [], overhead: { cpu: "100m", memory: "3Mi" } }
    const amounts = parseAmounts({ cpu: "1" })
    expect(textsOf(withPodOverhead(amounts, spec, "requests"))).toEqual({ cpu: "1100m", memory: "3Mi" })
    expect(textsOf(withPodOverhead(amounts, spec, "limits"))).toEqual({ cpu: "1100m" })
    expect(textsOf(withPodOverhead(amounts, { containers: [] }, "requests"))).toEqual({ cpu: "1" })
    expect(textsOf(amounts)).toEqual({ cpu: "1" })
  })
})

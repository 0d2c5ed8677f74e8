/** A story of a Deployment with six replicas, as YAML in flow style. */
export const storyOf = (spec: {
  readonly name?: string
  readonly seed?: number
  readonly steps?: ReadonlyArray<object>
  readonly weather?: object
  readonly invariants?: ReadonlyArray<string>
  readonly limit?: object
}): string => {
  const { name = "web", steps = [setImage, complete], ...rest } = spec
  const start = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: {
      replicas: 6,
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "web", image: "web:1" }] }
      }
    }
  }
  // On one line, so that errors are told apart by their column.
  return `apiVersion: charthouse.dev/v1
kind: Scenario
metadata:
  name: ${JSON.stringify(name)}
spec: ${JSON.stringify({ start: [start], steps, ...rest })}
`
}

export const setImage = { setImage: "deployment/web", images: { web: "web:2" } }
export const complete = { waitFor: "deployment/web is complete" }

/** Random kills and crashes, sometimes so many that fewer than five Pods are available. */
export const stormy = {
  name: "stormy",
  weather: {
    every: "1s",
    until: "6s",
    faults: [
      { fault: "kill", pods: { deployment: "web", count: 1 } },
      { fault: "crash", pods: { deployment: "web", count: 1 }, weight: 2 }
    ]
  },
  invariants: ["deployment/web available >= 5"]
}

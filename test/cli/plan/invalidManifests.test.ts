import { describe, expect, it } from "vitest"
import { charthouse, deploymentYaml } from "../harness/charthouse.ts"

const cronJob = (schedule: string) => `
apiVersion: batch/v1
kind: CronJob
metadata: { name: nightly }
spec:
  schedule: "${schedule}"
  jobTemplate: { spec: { template: { spec: { restartPolicy: Never, containers: [{ name: app, image: "app:1" }] } } } }
`
const twoPorts =
  "{ apiVersion: v1, kind: Service, metadata: { name: web }, spec: { selector: { app: web }, ports: [{ port: 80 }, { port: 81 }] } }"

describe("what plan says of an invalid manifest", () => {
  it.each([
    {
      why: "has a line for each wrong field, as kubectl prints them",
      text: `${deploymentYaml({ name: "web", image: "app:1" })}\n---\n${twoPorts}`,
      stderr: [
        /^web\.yaml:\d+:\d+: The Service "web" is invalid: $/,
        /^\* spec\.ports\[0\]\.name: Required value$/,
        /^\* spec\.ports\[1\]\.name: Required value$/
      ]
    },
    {
      why: "comes before the lack of a rollout",
      text: cronJob("every day"),
      stderr: [
        /^web\.yaml:\d+:\d+: The CronJob "nightly" is invalid: spec\.schedule: Invalid value: "every day": .+$/
      ]
    },
    {
      why: "is nothing where only the rollout is missing",
      text: cronJob("0 3 * * *"),
      stderr: [/^error: web\.yaml has no Deployment, .+ so that there is no rollout to plan$/]
    }
  ])("$why", async ({ text, stderr }) => {
    const result = await charthouse(["plan", "-f", "web.yaml", "--seeds", "1"], { "web.yaml": text })
    expect({ code: result.code, lines: result.stderr.trimEnd().split("\n") }).toEqual({
      code: 2,
      lines: stderr.map((line) => expect.stringMatching(line))
    })
  })
})

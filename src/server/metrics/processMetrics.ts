import { readdirSync, readFileSync } from "node:fs"
import type { MetricFamily } from "./metricsText.ts"

/** Source: github.com/prometheus/client_golang, prometheus/process_collector.go. */
export const processMetrics = (): ReadonlyArray<MetricFamily> => {
  const { user, system } = process.cpuUsage()
  const gauges = {
    process_resident_memory_bytes: { value: process.memoryUsage.rss(), help: "Resident memory in bytes." },
    process_virtual_memory_bytes: { value: virtualBytes(), help: "Virtual memory in bytes." },
    process_start_time_seconds: {
      value: performance.timeOrigin / 1000,
      help: "When the process started, in seconds since 1970."
    },
    process_open_fds: { value: openFiles(), help: "Open file descriptors." }
  }
  return [
    {
      name: "process_cpu_seconds_total",
      type: "counter",
      help: "CPU time of the process, of its own and of the system for it, in seconds.",
      samples: [{ labels: {}, value: (user + system) / 1e6 }]
    },
    ...Object.entries(gauges).map(([name, { value, help }]): MetricFamily => ({
      name,
      type: "gauge",
      help,
      samples: value === undefined ? [] : [{ labels: {}, value }]
    }))
  ]
}

/** Undefined on systems without `/proc`. */
const virtualBytes = (): number | undefined => {
  try {
    const [, kilobytes] = /^VmSize:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? []
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
  } catch {
    return undefined
  }
}

const openFiles = (): number | undefined => {
  try {
    return readdirSync("/proc/self/fd").length
  } catch {
    return undefined
  }
}

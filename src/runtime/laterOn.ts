import type { Later } from "../store/later.ts"
import type { Kernel } from "./kernel.ts"

/** Before everything else that is due at the same instant. */
const firstRank = 0

/** Time for whoever comes between the store and others. */
export const laterOn = (kernel: Kernel): Later => ({
  nowMillis: kernel.nowMillis,
  after: (millis, run) => {
    let isOver = false
    const timer = kernel.after(millis, firstRank, () => {
      isOver = true
      run()
    })
    return () => {
      if (!isOver) kernel.cancel(timer)
      isOver = true
    }
  }
})

// The versions in which tiles are stored.
#pragma once

class StoredVersion {
 public:
  // 0: 2025-05-20, first version.
  // 1: 2026-02-19, tiles with unreduced axes.
  // 2: 2026-04-15, names
  //    of axes.
  // 3: 2026-06-10, packed dimensions.

  static constexpr StoredVersion current() { return StoredVersion(3); }

 private:
  static constexpr StoredVersion minimum() { return StoredVersion(0); }

  // What every build of the last four weeks reads.
  static constexpr StoredVersion week_4_old() { return StoredVersion(1); }
};

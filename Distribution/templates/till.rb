# Not run here: the project's tests check only the checksums. Homebrew needs a release that is hosted.
class Till < Formula
  desc "@SUMMARY@"
  version "@VERSION@"
  license "@LICENCE@"
@SYSTEMS@
  def install
    bin.install "bin/till"
    man1.install Dir["share/man/man1/*"]
    bash_completion.install "share/bash-completion/completions/till"
    zsh_completion.install "share/zsh/site-functions/_till"
    fish_completion.install "share/fish/vendor_completions.d/till.fish"
    doc.install Dir["share/doc/till/*"]
  end

  service do
    run [opt_bin/"till", "serve", "--data", var/"till"]
    keep_alive true
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/till --version").strip
  end
end

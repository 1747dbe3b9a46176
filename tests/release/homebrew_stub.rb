# The part of Homebrew's language that our formula uses, so that the formula can be run without Homebrew: ruby
# homebrew_stub.rb FORMULA SOURCES PREFIX builds and installs the unpacked SOURCES into PREFIX by the formula's own
# commands and runs its test. It does not know whether Homebrew has the dependencies; they are printed.
require "tmpdir"

class Pathname_ < String
  def /(other)
    Pathname_.new(File.join(self, other))
  end

  def write(text)
    File.write(self, text)
  end
end

class Formula
  class << self
    attr_reader :facts, :dependencies, :test_block

    %i[desc homepage url version sha256 license].each do |name|
      define_method(name) { |value| (@facts ||= {})[name] = value }
    end

    def depends_on(what)
      (@dependencies ||= []) << (what.is_a?(Hash) ? what.keys.first : what)
    end

    def test(&block)
      @test_block = block
    end
  end

  attr_reader :testpath

  def initialize(prefix, testpath)
    @prefix = Pathname_.new(prefix)
    @testpath = Pathname_.new(testpath)
  end

  def bin
    @prefix/"bin"
  end

  def std_cmake_args
    ["-DCMAKE_INSTALL_PREFIX=#{@prefix}", "-DCMAKE_INSTALL_LIBDIR=lib", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_FIND_FRAMEWORK=LAST",
     "-DCMAKE_VERBOSE_MAKEFILE=ON", "-Wno-dev", "-DBUILD_TESTING=OFF"]
  end

  def system(*command)
    Kernel.system(*command) || abort("failed: #{command.join(" ")}")
  end

  def shell_output(command)
    `#{command}`
  end

  def assert_match(pattern, text)
    text.include?(pattern) || abort("the formula's test: no #{pattern} in:\n#{text}")
  end
end

def ENV.cc
  "cc"
end

formula, sources, prefix = ARGV.map { |path| File.expand_path(path) }
load formula
facts = Countersink.facts
missing = %i[desc homepage url version sha256 license] - facts.keys
abort("the formula lacks #{missing.join(", ")}") unless missing.empty?
abort("desc begins with an article or ends with a full stop") if facts[:desc] =~ /\A(A|An|The) |\.\z/ || facts[:desc].length > 80
puts "url #{facts[:url]}", "sha256 #{facts[:sha256]}", "needs #{Countersink.dependencies.join(" ")}"
Dir.mktmpdir do |folder|
  countersink = Countersink.new(prefix, folder)
  Dir.chdir(sources) { countersink.install }
  Dir.chdir(folder) { countersink.instance_eval(&Countersink.test_block) }
end
puts "the formula's test passed"
